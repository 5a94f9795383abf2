// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import io.boltwork.spi.Printable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/**
 * The statements with which a database raises the token of a resource in the guard table. All of them lock the row
 * until the end of the transaction, and writers of a new resource do not fail because another one inserts it first.
 */
enum SqlDialect {
    /** A failed INSERT would end the transaction, so a single statement inserts or updates. */
    POSTGRESQL {
        @Override
        boolean raise(Connection connection, String table, String resource, long token) throws SQLException {
            String sql = "INSERT INTO " + table + " AS guard (resource, token) VALUES (?, ?)"
                    + " ON CONFLICT (resource) DO UPDATE SET token = EXCLUDED.token"
                    + " WHERE guard.token <= EXCLUDED.token";
            try (PreparedStatement upsert = connection.prepareStatement(sql)) {
                upsert.setString(1, resource);
                upsert.setLong(2, token);
                return upsert.executeUpdate() > 0;
            }
        }
    },

    /**
     * An UPDATE of a missing row would lock the gap, and an INSERT IGNORE a present row for reading. Two writers would
     * then wait for each other. This statement takes the lock for writing at once. Its count depends on the driver's
     * options, so the token is read afterwards.
     */
    MARIADB {
        @Override
        boolean raise(Connection connection, String table, String resource, long token) throws SQLException {
            String sql = "INSERT INTO " + table + " (resource, token) VALUES (?, ?)"
                    + " ON DUPLICATE KEY UPDATE token = GREATEST(token, ?)";
            try (PreparedStatement upsert = connection.prepareStatement(sql)) {
                upsert.setString(1, resource);
                upsert.setLong(2, token);
                upsert.setLong(3, token);
                upsert.executeUpdate();
                return false;
            }
        }

        @Override
        String ddl(String table) {
            return "CREATE TABLE IF NOT EXISTS " + table + " (resource VARCHAR(255) CHARACTER SET utf8mb4"
                    + " COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, token BIGINT NOT NULL) ENGINE = InnoDB";
        }
    },

    /** A failed INSERT leaves the transaction intact. */
    H2 {
        @Override
        boolean raise(Connection connection, String table, String resource, long token) throws SQLException {
            String sql = "UPDATE " + table + " SET token = ? WHERE resource = ? AND token <= ?";
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setLong(1, token);
                update.setString(2, resource);
                update.setLong(3, token);
                if (update.executeUpdate() > 0) {
                    return true;
                }
            }
            String insertion = "INSERT INTO " + table + " (resource, token) VALUES (?, ?)";
            try (PreparedStatement insert = connection.prepareStatement(insertion)) {
                insert.setString(1, resource);
                insert.setLong(2, token);
                return insert.executeUpdate() > 0;
            } catch (SQLException e) {
                if (DUPLICATE_KEY.equals(e.getSQLState())) {
                    return false;
                }
                throw e;
            }
        }
    };

    private static final String DUPLICATE_KEY = "23505";

    /**
     * Inserts the row of a resource, or raises its token if that is not larger.
     *
     * @return {@code true} if the row has this token now; {@code false} if its token must be read
     */
    abstract boolean raise(Connection connection, String table, String resource, long token) throws SQLException;

    /** Returns the statement that creates the guard table. */
    String ddl(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table
                + " (resource VARCHAR(255) NOT NULL PRIMARY KEY, token BIGINT NOT NULL)";
    }

    /** Returns the dialect of a connection; asks only its driver. */
    static SqlDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            case "H2" -> H2;
            default ->
                throw new SQLFeatureNotSupportedException("JdbcFence.check knows no statement for the database '"
                        + Printable.text(product)
                        + "', only for PostgreSQL, MariaDB, MySQL and H2. Use JdbcFence.column, or the"
                        + " condition 'token <= ?' in the UPDATE itself");
        };
    }
}
