// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.time.Duration;

/** The short forms of PostgreSQL. */
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
