// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A lock returns to the short forms of PostgreSQL. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresUsualStatementsTest extends UsualStatementsTest {
    @Override
    JdbcSite site() {
        return PostgresSite.get();
    }

    @Override
    String group(int number) {
        return "\\" + number;
    }
}
