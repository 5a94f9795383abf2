// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Opens pools of connections to a database. All settings are HikariCP's defaults, as in most Spring applications. */
public final class StorePool {
    private StorePool() {}

    public static HikariDataSource open(String uri) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(uri);
        return new HikariDataSource(config);
    }
}
