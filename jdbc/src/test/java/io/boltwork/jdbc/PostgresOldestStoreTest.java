// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The promises of a store on the oldest PostgreSQL. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class PostgresOldestStoreTest extends JdbcStoreTest {
    @Override
    JdbcSite site() {
        return PostgresVersion.OLDEST.site();
    }
}
