// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The short forms of PostgreSQL. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresShortFormsTest extends ShortFormsTest {

    @Override
    JdbcSite site() {
        return PostgresSite.get();
    }

    @Override
    int steps() {
        return 1_500;
    }

    @Override
    Duration extensionLag() {
        return Duration.ZERO;
    }
}
