// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import io.boltwork.spi.Durations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A guard in a database. It remembers the largest fencing token of each resource, in the transaction that writes the
 * resource, and refuses smaller tokens. Thread-safe; one guard serves all threads and connections.
 *
 * <!-- snippet: GuardedStock.java#JdbcFence -->
 * <pre>{@code
 * fence.check(connection, "stock:1001", lease.fencingToken()); // first, before the transaction reads anything
 * sell(connection);
 * connection.commit();
 * }</pre>
 *
 * <p>{@link #check} takes part in the caller's transaction: it never commits, never rolls back and never closes the
 * connection. It locks a row until the transaction ends, so that writers of one resource come one after the other. If
 * the transaction is rolled back, the token is forgotten together with the write. A check in the transaction that
 * <em>reads</em> what a later one writes refuses all older holders from then on.
 *
 * <p>The tokens are in a table of the guard ({@link #defaults}), or in a column of the application's own table
 * ({@link #column}). The guard table works on PostgreSQL, MariaDB and H2; MySQL gets the statements of MariaDB.
 *
 * <p>At READ COMMITTED a check waits for the writers before it and then decides. At REPEATABLE READ and SERIALIZABLE
 * the database may instead end the transaction, as for any two writers of one row: PostgreSQL and H2 with the SQL state
 * 40001, MariaDB with {@code innodb_snapshot_isolation} with the error 1020. Repeat the whole transaction then; a stale
 * token is refused at the latest by its repetition.
 *
 * @since 0.1.0
 */
public final class JdbcFence {
    private static final String TABLE = "boltwork_fence";
    private static final Duration SHORTEST_AGE = Duration.ofDays(1);
    private static final Duration LONGEST_AGE = Duration.ofDays(36_500);
    private static final int ATTEMPTS = 3;

    private final String table;
    private final @Nullable Column column;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** The columns of the application's table. */
    private record Column(String key, String token) {}

    private JdbcFence(String table, @Nullable Column column) {
        this.table = table;
        this.column = column;
    }

    /**
     * Returns a new guard with the table {@code boltwork_fence} and with counters of its own.
     *
     * @return a guard
     */
    public static JdbcFence defaults() {
        return new JdbcFence(TABLE, null);
    }

    /**
     * Returns a new guard with another table. Default: {@code boltwork_fence}.
     *
     * @param table the name of the table, without quotes; a schema and a dot may precede it
     * @return a guard with that table, and with counters of its own
     * @throws IllegalArgumentException if the name is invalid
     * @throws IllegalStateException if this guard uses a column of the application's table
     */
    public JdbcFence withTable(String table) {
        guardTable("withTable");
        return new JdbcFence(GuardInput.table(table), null);
    }

    /**
     * Returns a new guard that keeps the token in the row that it protects, in a column of the type {@code BIGINT}. A
     * {@code NULL} in it counts as no token. The row must exist: an INSERT of it sets the column itself.
     *
     * @param table the name of the application's table, without quotes; a schema and a dot may precede it
     * @param key the name of the column that identifies a row, its primary key
     * @param token the name of the column with the token
     * @return a guard with counters of its own
     * @throws IllegalArgumentException if one of these names is invalid
     */
    public static JdbcFence column(String table, String key, String token) {
        return new JdbcFence(
                GuardInput.table(table), new Column(GuardInput.column("key", key), GuardInput.column("token", token)));
    }

    /**
     * Returns the name of the table.
     *
     * @return the guard table, or the application's table
     */
    public String table() {
        return table;
    }

    /**
     * Returns the statement that creates the guard table unless it exists. Does not execute it.
     *
     * @param connection a connection to the database; only its driver is asked
     * @return the statement
     * @throws SQLException if the database is none of PostgreSQL, MariaDB, MySQL and H2, or the driver does not answer
     * @throws IllegalStateException if this guard uses a column of the application's table
     */
    public String ddl(Connection connection) throws SQLException {
        guardTable("ddl");
        return SqlDialect.of(connection).ddl(table);
    }

    /**
     * Accepts and remembers a token that is not smaller than the remembered one. Refuses a smaller one. It must come
     * first in the transaction: an older holder can then change nothing that the transaction reads or writes
     * afterwards. A holder may write any number of times with its token. Blocks for a few round trips, and while
     * another transaction that has checked the same resource is open.
     *
     * @param connection the connection of the transaction that writes the resource, not in auto-commit mode
     * @param resource the name of the resource, of 1 to 255 chars, as a {@link String}; for a guard with a column, the
     *     value of the key column, of any type that {@link PreparedStatement#setObject(int, Object)} knows
     * @param token the fencing token of the writer's lease
     * @throws StaleTokenException if a larger token is remembered; the transaction should be rolled back
     * @throws SQLException if the database fails; with the SQL state 40001 the transaction may be repeated
     * @throws IllegalStateException if the connection is in auto-commit mode, in which the check would end before the
     *     write begins
     * @throws NoSuchElementException if the application's table has no such row
     * @throws IllegalArgumentException if the resource or the token is invalid
     */
    public void check(Connection connection, Object resource, long token) throws SQLException {
        Objects.requireNonNull(connection, "connection");
        Object key = column == null ? GuardInput.stored(text(resource)) : key(resource);
        GuardInput.token(token);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("The connection is in auto-commit mode, so the check of the fencing token"
                    + " would end before the write begins. Call connection.setAutoCommit(false), or begin a"
                    + " transaction, and write in the same one");
        }
        SqlDialect dialect = column == null ? SqlDialect.of(connection) : null;
        for (int i = 0; i < ATTEMPTS; i++) {
            boolean raised = dialect == null
                    ? raiseColumn(connection, key, token)
                    : dialect.raise(connection, table, (String) key, token);
            Long known = raised ? Long.valueOf(token) : lockedToken(connection, key);
            if (known != null && known == token) {
                accepted.increment();
                return;
            }
            if (known != null && known > token) {
                refused.increment();
                throw new StaleTokenException(describe(key), token, known);
            }
        }
        // another transaction has inserted the row after the snapshot of this one
        throw new SQLTransactionRollbackException(
                "The token of " + describe(key) + " in " + table
                        + " is not visible to this transaction. Repeat the transaction",
                "40001");
    }

    /**
     * Forgets tokens that are older than a given age, so that the guard table does not grow for ever. Tokens are
     * microseconds of the lock server's clock, so a token tells when it was issued. Executes one DELETE and does not
     * commit; auto-commit mode is allowed.
     *
     * <p>A holder whose thread has been stopped for longer than this age is no longer refused. Choose an age that no
     * process survives, such as a week.
     *
     * @param connection a connection to the database
     * @param token a token of the present, such as that of the lease under which the cleaning job runs
     * @param age how much older a token must be to be forgotten, at least one day
     * @return the number of resources that were forgotten
     * @throws SQLException if the database fails
     * @throws IllegalArgumentException if the age is shorter than a day or longer than 100 years, or the token is not
     *     positive
     * @throws IllegalStateException if this guard uses a column of the application's table
     */
    public int forget(Connection connection, long token, Duration age) throws SQLException {
        Objects.requireNonNull(connection, "connection");
        guardTable("forget");
        long micros = Durations.between("age", age, SHORTEST_AGE, LONGEST_AGE).toMillis() * 1_000;
        long before = GuardInput.token(token) - micros;
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table + " WHERE token < ?")) {
            delete.setLong(1, before);
            return delete.executeUpdate();
        }
    }

    /**
     * Returns how many tokens this guard has accepted, including those of transactions that were rolled back later.
     *
     * @return the number of checks that passed
     */
    public long accepted() {
        return accepted.sum();
    }

    /**
     * Returns how many tokens this guard has refused.
     *
     * @return the number of {@link StaleTokenException}s
     */
    public long refused() {
        return refused.sum();
    }

    @Override
    public String toString() {
        return "JdbcFence on " + (column == null ? table : table + "." + column.token) + ", accepted " + accepted()
                + ", refused " + refused();
    }

    private boolean raiseColumn(Connection connection, Object key, long token) throws SQLException {
        Column own = Objects.requireNonNull(column);
        String sql = "UPDATE " + table + " SET " + own.token + " = ? WHERE " + own.key + " = ? AND (" + own.token
                + " IS NULL OR " + own.token + " <= ?)";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setLong(1, token);
            update.setObject(2, key);
            update.setLong(3, token);
            return update.executeUpdate() > 0;
        }
    }

    /**
     * Reads the token of a row that was not updated, as it is now and not as it was at the beginning of the
     * transaction. If there is no row, returns {@code null} for the guard table.
     */
    private @Nullable Long lockedToken(Connection connection, Object key) throws SQLException {
        String sql = "SELECT " + (column == null ? "token" : column.token) + " FROM " + table + " WHERE "
                + (column == null ? "resource" : column.key) + " = ? FOR UPDATE";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, key);
            try (ResultSet row = select.executeQuery()) {
                if (row.next()) {
                    long token = row.getLong(1);
                    return row.wasNull() ? null : token;
                }
            }
        }
        if (column != null) {
            throw new NoSuchElementException("There is no " + describe(key) + ". Insert it with its token");
        }
        return null;
    }

    private String describe(Object key) {
        return column == null ? key.toString() : table + "[" + column.key + "=" + key + "]";
    }

    private static @Nullable String text(@Nullable Object resource) {
        if (resource != null && !(resource instanceof String)) {
            throw new IllegalArgumentException("resource must be a String, but is a "
                    + resource.getClass().getName() + "; only a guard with a column has other keys");
        }
        return (String) resource;
    }

    private static Object key(@Nullable Object resource) {
        if (resource == null) {
            throw new IllegalArgumentException("resource must be the value of the key column, but is null");
        }
        return resource;
    }

    private void guardTable(String method) {
        if (column != null) {
            throw new IllegalStateException(
                    method + " is for guards with a table of their own, but this one uses the column " + column.token
                            + " of the application's table " + table);
        }
    }
}
