// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The failovers of {@link FailoverHistoriesTest}, with a lock that its last client retains. */
@Tag("load")
@EnabledIfSystemProperty(named = FailoverHistoriesTest.PROOF, matches = "true")
class RetainedFailoverHistoriesTest extends FailoverHistoriesTest {

    @Override
    List<String> locks() {
        return List.of(RecordedTurns.retained("failover"));
    }
}
