// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** The promises of a store on MariaDB. */
class MariaDbStoreTest extends JdbcStoreTest {
    @Override
    JdbcSite site() {
        return MariaDbSite.get();
    }
}
