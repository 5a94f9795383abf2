// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;

/** The pools that applications use, with their defaults, but for the size. */
enum ApplicationPool {
    HIKARI {
        @Override
        DataSource create(String uri, int size) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(uri);
            pool.setMaximumPoolSize(size);
            return pool;
        }
    },
    TOMCAT {
        @Override
        DataSource create(String uri, int size) {
            var pool = new org.apache.tomcat.jdbc.pool.DataSource();
            pool.setUrl(uri);
            pool.setDriverClassName("org.postgresql.Driver");
            pool.setMaxActive(size);
            return pool;
        }
    },
    DBCP {
        @Override
        DataSource create(String uri, int size) {
            BasicDataSource pool = new BasicDataSource();
            pool.setUrl(uri);
            pool.setMaxTotal(size);
            return pool;
        }
    },
    AGROAL {
        @Override
        DataSource create(String uri, int size) throws SQLException {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                    .connectionPoolConfiguration(pool -> pool.maxSize(size)
                            .acquisitionTimeout(Duration.ofSeconds(10))
                            .connectionFactoryConfiguration(factory -> factory.jdbcUrl(uri))));
        }
    };

    /** Creates a pool that lends so many connections to PostgreSQL at most. */
    abstract DataSource create(String uri, int size) throws SQLException;

    /** Closes a pool. */
    static void close(DataSource pool) throws Exception {
        if (pool instanceof AutoCloseable closeable) {
            closeable.close();
        } else {
            ((org.apache.tomcat.jdbc.pool.DataSource) pool).close();
        }
    }
}
