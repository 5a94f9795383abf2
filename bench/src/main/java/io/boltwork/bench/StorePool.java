// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Opens pools of connections to a database. All settings are HikariCP's defaults, as in most Spring applications. */
final class StorePool {
    private StorePool() {}

    static HikariDataSource open(String uri) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(uri);
        return new HikariDataSource(config);
    }
}
