// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.fence.JdbcFence;
import io.boltwork.fence.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** A stock in a database, which refuses a sale whose lock was lost. */
final class GuardedStock {
    private final JdbcFence fence = JdbcFence.defaults();

    /** Sells an item, with the guard table. */
    boolean sell(Connection connection, FencedLock lock) throws SQLException {
        // @start region="table"
        connection.setAutoCommit(false);
        try (Lease lease = lock.acquire()) {
            fence.check(connection, "stock:1001", lease.fencingToken()); // first, before the transaction reads
            boolean sold = decrease(connection);
            connection.commit();
            return sold;
        } catch (SQLException | StaleTokenException e) {
            connection.rollback();
            throw e;
        }
        // @end
    }

    JdbcFence fence() {
        return fence;
    }

    void inTransaction(Connection connection, Lease lease) throws SQLException {
        // @start region="JdbcFence"
        fence.check(connection, "stock:1001", lease.fencingToken()); // first, before the transaction reads anything
        sell(connection);
        connection.commit();
        // @end
    }

    private final JdbcFence rows = JdbcFence.column("stock", "id", "token");

    void sellFromRow(Connection connection, Lease lease) throws SQLException {
        rows.check(connection, 1001, lease.fencingToken());
        sell(connection);
        connection.commit();
    }

    /** Writes a row with a plain statement. */
    static void write(Connection connection, int items, long token) throws SQLException {
        String sql = "UPDATE stock SET items = ?, token = ? WHERE id = ? AND token <= ?";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setInt(1, items);
            update.setLong(2, token);
            update.setLong(3, 1001);
            update.setLong(4, token);
            if (update.executeUpdate() == 0) {
                throw new IllegalStateException("refused: a newer holder has written, or the row is gone");
            }
        }
    }

    int forget(Connection connection, Lease cleaning) throws SQLException {
        // a job that runs once a day, under a lock
        int forgotten = fence.forget(connection, cleaning.fencingToken(), Duration.ofDays(7));
        return forgotten;
    }

    private static void sell(Connection connection) throws SQLException {
        decrease(connection);
    }

    private static boolean decrease(Connection connection) throws SQLException {
        String read = "SELECT items FROM stock WHERE id = 1001";
        try (PreparedStatement select = connection.prepareStatement(read);
                ResultSet row = select.executeQuery()) {
            if (!row.next() || row.getInt(1) == 0) {
                return false;
            }
            String write = "UPDATE stock SET items = ? WHERE id = 1001";
            try (PreparedStatement update = connection.prepareStatement(write)) {
                update.setInt(1, row.getInt(1) - 1);
                return update.executeUpdate() == 1;
            }
        }
    }
}
