// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The lock of a database row. It has no lease: it lasts as long as the transaction. */
final class RowLock {
    private final Connection connection;

    RowLock(Connection connection) {
        this.connection = connection;
    }

    // @start region="lock"
    void lock() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement select = connection.createStatement()) {
            select.executeQuery("SELECT items FROM stock WHERE id = 1001 FOR UPDATE");
        }
    }

    void unlock() throws SQLException {
        connection.commit();
    }
    // @end
}
