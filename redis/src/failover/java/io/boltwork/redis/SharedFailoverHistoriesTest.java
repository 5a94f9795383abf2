// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The failovers of {@link FailoverHistoriesTest}, with read-write locks and semaphores. */
@Tag("load")
@EnabledIfSystemProperty(named = FailoverHistoriesTest.PROOF, matches = "true")
class SharedFailoverHistoriesTest extends FailoverHistoriesTest {

    @Override
    List<String> locks() {
        return List.of(
                RecordedTurns.name(LockKind.READ_WRITE, "one"),
                RecordedTurns.name(LockKind.READ_WRITE, "another"),
                RecordedTurns.name(LockKind.SEMAPHORE, "one"),
                RecordedTurns.name(LockKind.SEMAPHORE, "another"));
    }

    /** Each of the four locks may have lost its last holds, and there are several at a time. */
    @Override
    int mostOverlaps() {
        return 4 * super.mostOverlaps();
    }
}
