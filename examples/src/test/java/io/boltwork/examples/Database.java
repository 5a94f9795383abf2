// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.fence.JdbcFence;
import io.boltwork.testkit.server.MariaDbServer;
import io.boltwork.testkit.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A real database with the guard table, a counter and a ledger of the writes. */
final class Database implements AutoCloseable {

    /** The databases on which the guards are tested. */
    enum Kind {
        POSTGRESQL,
        MARIADB,
        /** MariaDB with snapshot isolation, which is the default of newer versions. */
        MARIADB_SNAPSHOT,
        H2
    }

    private static final int LOCKED_RECORD_CHANGED = 1020; // MariaDB
    private static final Set<String> REPEATABLE = Set.of("40001", "40P01");
    private static final Map<Kind, Database> STARTED = new EnumMap<>(Kind.class);

    private final Kind kind;
    private final String uri;
    private final @Nullable AutoCloseable server;

    /** Something to do in a transaction. */
    interface Work {
        void run(Connection connection) throws SQLException;
    }

    private Database(Kind kind, String uri, @Nullable AutoCloseable server) throws SQLException {
        this.kind = kind;
        this.uri = uri;
        this.server = server;
        try (Connection connection = open(Connection.TRANSACTION_READ_COMMITTED);
                Statement statement = connection.createStatement()) {
            statement.execute(JdbcFence.defaults().ddl(connection));
            statement.execute("CREATE TABLE counter (id BIGINT PRIMARY KEY, amount BIGINT NOT NULL, token BIGINT)");
            statement.execute("CREATE TABLE ledger (amount BIGINT NOT NULL, token BIGINT NOT NULL)");
            statement.execute("INSERT INTO counter (id, amount) VALUES (1, 0)");
            connection.commit();
        }
    }

    /** Returns a database that is started at its first use, or skips the test. */
    static Database started(Kind kind) throws SQLException {
        Database known = STARTED.get(kind);
        if (known == null) {
            known = start(kind);
            STARTED.put(kind, known);
        }
        return known;
    }

    /** Starts a database for one test, or skips it. */
    static Database start(Kind kind) throws SQLException {
        switch (kind) {
            case POSTGRESQL -> {
                assumeTrue(PostgresServer.isInstalled(), "SKIPPED: no PostgreSQL to start (package postgresql)");
                PostgresServer server = PostgresServer.start();
                return new Database(kind, server.uri(), server);
            }
            case MARIADB, MARIADB_SNAPSHOT -> {
                assumeTrue(MariaDbServer.isInstalled(), "SKIPPED: no MariaDB to start (package mariadb-server)");
                MariaDbServer server = MariaDbServer.start(
                        "innodb-snapshot-isolation=" + (kind == Kind.MARIADB_SNAPSHOT ? "ON" : "OFF"));
                return new Database(kind, server.uri(), server);
            }
            default -> {
                return new Database(kind, "jdbc:h2:mem:guards;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000", null);
            }
        }
    }

    static void closeAll() throws Exception {
        for (Database each : STARTED.values()) {
            each.close();
        }
        STARTED.clear();
    }

    String uri() {
        return uri;
    }

    /** Opens a connection without auto-commit. */
    Connection open(int isolation) throws SQLException {
        return open(isolation, "");
    }

    /** Opens a connection without auto-commit, with further options of its driver. */
    Connection open(int isolation, String options) throws SQLException {
        Connection connection = DriverManager.getConnection(uri + options);
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    /**
     * Returns whether a transaction waits for a lock of another one. H2 repeats its attempts and does not tell that it
     * waits, so there it is whether a statement of another session is being executed.
     */
    boolean isAnyBlocked() {
        String blocked = switch (kind) {
            case POSTGRESQL -> "pg_locks WHERE NOT granted";
            case MARIADB, MARIADB_SNAPSHOT -> // innodb_trx stays as it is while it is read more than ten times a second
                "information_schema.global_status WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS' AND"
                        + " variable_value > 0";
            case H2 ->
                "information_schema.sessions WHERE executing_statement IS NOT NULL AND session_id <> SESSION_ID()";
        };
        try (Connection connection = open(Connection.TRANSACTION_READ_COMMITTED)) {
            Long count = query(connection, "SELECT COUNT(*) FROM " + blocked);
            return count != null && count > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Executes a transaction until the database does not ask for its repetition, and returns the number of repetitions.
     */
    static int transact(Connection connection, Work work) throws SQLException {
        for (int repetitions = 0; ; repetitions++) {
            try {
                work.run(connection);
                connection.commit();
                return repetitions;
            } catch (SQLException e) {
                connection.rollback();
                if (!isRepeatable(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    static boolean isRepeatable(SQLException e) {
        return REPEATABLE.contains(Objects.requireNonNullElse(e.getSQLState(), ""))
                || e.getErrorCode() == LOCKED_RECORD_CHANGED;
    }

    /** Returns the number in the first row and column, or {@code null}. */
    static @Nullable Long query(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? (Long) row.getLong(1) : null;
            }
        }
    }

    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setObject(i + 1, parameters[i]);
            }
            return update.executeUpdate();
        }
    }

    @Override
    public void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @Override
    public String toString() {
        return kind.name();
    }
}
