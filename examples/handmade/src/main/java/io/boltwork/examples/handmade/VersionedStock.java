// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** No lock, but a version column: the update of a row that has changed since it was read is refused. */
final class VersionedStock {
    private final Connection connection;

    VersionedStock(Connection connection) {
        this.connection = connection;
    }

    /** A row as it was read. */
    record StockRow(int items, int version) {}

    StockRow read() throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT items, version FROM stock WHERE id = 1001")) {
            row.next();
            return new StockRow(row.getInt(1), row.getInt(2));
        }
    }

    /** Writes, unless another client has written since the row was read. */
    boolean write(StockRow read, int items) throws SQLException {
        String sql = "UPDATE stock SET items = ?, version = version + 1 WHERE id = 1001 AND version = ?";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setInt(1, items);
            update.setInt(2, read.version());
            return update.executeUpdate() == 1;
        }
    }
}
