// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** A lock returns to the short forms of PostgreSQL. */
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
