// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** The promises of a store on PostgreSQL. */
class PostgresStoreTest extends JdbcStoreTest {
    @Override
    JdbcSite site() {
        return PostgresSite.get();
    }
}
