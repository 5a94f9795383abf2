// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

/** The promises of a store on H2. */
class H2StoreTest extends JdbcStoreTest {
    private static final H2Site SITE = new H2Site();

    @Override
    JdbcSite site() {
        return SITE;
    }
}
