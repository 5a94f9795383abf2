// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** A lock returns to the short forms of H2. */
class H2UsualStatementsTest extends UsualStatementsTest {
    private static final H2Site SITE = new H2Site();

    @Override
    JdbcSite site() {
        return SITE;
    }

    @Override
    String group(int number) {
        return "$" + number;
    }
}
