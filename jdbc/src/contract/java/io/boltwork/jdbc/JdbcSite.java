// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.contract.LockSite;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database, started once for all tests of a JVM, and its faults. */
abstract class JdbcSite implements LockSite {
    static final JdbcOptions OPTIONS = JdbcOptions.defaults().withCommandTimeout(Slack.of(Duration.ofSeconds(1)));

    /** Reads a row. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Returns connections to the database, each a new one. */
    abstract DataSource source();

    /** Creates a client of a database that has just been started, which may need longer than a client waits. */
    static LockClient connected(DataSource source) {
        LockClient[] created = {null};
        Await.within(Duration.ofSeconds(60), "the database answers", () -> {
            try {
                created[0] = LockClient.create(JdbcBackend.on(source, OPTIONS));
                return true;
            } catch (BackendException slow) {
                return false;
            }
        });
        return created[0];
    }

    @Override
    public LockBackend newBackend() {
        return JdbcBackend.on(source(), OPTIONS);
    }

    @Override
    public void flush() {
        tryToExecute("DELETE FROM boltwork_lock");
        tryToExecute("DELETE FROM boltwork_inbox");
    }

    @Override
    public void deleteLock(String name) {
        try (Connection connection = source().getConnection();
                PreparedStatement delete =
                        connection.prepareStatement("DELETE FROM boltwork_lock WHERE kind = 0 AND name = ?")) {
            delete.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
            delete.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int listeners() {
        return query(
                        "SELECT COUNT(*) FROM boltwork_client WHERE seen_at > "
                                + dialect().clock() + " - 3000000",
                        row -> row.getInt(1))
                .get(0);
    }

    abstract StoreDialect dialect();

    final void execute(String sql) {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    final void tryToExecute(String sql) {
        try {
            execute(sql);
        } catch (IllegalStateException withoutTable) {
            if (!(withoutTable.getCause() instanceof SQLException e) || !SqlFailures.areTablesMissing(e)) {
                throw withoutTable;
            }
        }
    }

    final <T> List<T> query(String sql, Reader<T> reader) {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<T> found = new ArrayList<>();
            while (row.next()) {
                found.add(reader.read(row));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
