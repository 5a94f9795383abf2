// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.store.StoreClock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the backend: in auto-commit mode, at READ COMMITTED, with a network timeout. All three are restored
 * before it is returned. Not thread-safe, except for {@link #abort}.
 */
final class StoreSession {
    private static final int UNKNOWN = -1;

    /** The fate of the connection. The first decision counts, so a connection is never broken after its return. */
    private enum Fate {
        OPEN,
        RETURNED,
        BROKEN
    }

    final Connection connection;
    private final DataSource source;
    private final StoreTables tables;
    private final AtomicReference<Fate> fate = new AtomicReference<>(Fate.OPEN);
    private final boolean autoCommit;
    private final int isolation;
    private int networkTimeout = UNKNOWN;
    private volatile long usedAt = System.nanoTime();

    /** The identity of the data and the server, and with it the time at which the server started. */
    private String identity = "";

    private long started;
    private @Nullable String run;

    private StoreSession(DataSource source, Connection connection, StoreTables tables, Duration timeout)
            throws SQLException {
        this.source = source;
        this.connection = connection;
        this.tables = tables;
        try {
            networkTimeout = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
        } catch (SQLFeatureNotSupportedException none) {
            networkTimeout = UNKNOWN;
        }
        autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        isolation = connection.getTransactionIsolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    /** Takes a connection from the data source. Makes the tables if they are missing. */
    static StoreSession open(DataSource source, StoreTables tables, Duration timeout) throws SQLException {
        Connection connection = source.getConnection();
        StoreSession session = null;
        Throwable failure = null;
        try {
            session = new StoreSession(source, connection, tables, timeout);
            session.identity = tables.prepare(connection);
            return session;
        } catch (SQLException | RuntimeException | Error failed) {
            failure = failed;
            throw failed;
        } finally {
            if (session == null) {
                PoolEviction.evict(source, connection); // its settings are unknown
            } else if (failure != null && tables.failures().breaksConnection(failure)) {
                session.discard();
            } else if (failure != null) {
                session.close();
            }
        }
    }

    /** Returns the statements of this database. */
    StoreStatements sql() {
        return tables.statements();
    }

    /** Reads the clock from the columns {@code clock} and {@code started} of a row. */
    StoreClock clock(ResultSet row) throws SQLException {
        return clock(row.getLong("clock"), row.getLong("started"));
    }

    /** Returns a time of the clock of the server that was started at a time. */
    StoreClock clock(long micros, long startedAt) {
        String known = run;
        if (known == null || started != startedAt) {
            started = startedAt;
            known = startedAt == 0 ? identity : identity + "@" + startedAt;
            run = known;
        }
        return new StoreClock(known, micros);
    }

    /** Asks the server for its clock. */
    StoreClock ask() throws SQLException {
        try (NamedSql.Prepared clock = sql().clock.on(connection);
                ResultSet row = clock.query()) {
            row.next();
            return clock(row);
        }
    }

    /** Executes a statement without parameters. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    void used() {
        usedAt = System.nanoTime();
    }

    /** Returns for how many nanoseconds the connection has not been used. */
    long idleNanos() {
        return System.nanoTime() - usedAt;
    }

    /** Restores the connection and returns it to where it came from, unless it is broken. */
    void close() {
        if (!fate.compareAndSet(Fate.OPEN, Fate.RETURNED)) {
            discard();
            return;
        }
        try {
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(isolation);
            }
            connection.setAutoCommit(autoCommit);
            if (networkTimeout != UNKNOWN) {
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
            }
            connection.close();
        } catch (SQLException | RuntimeException broken) {
            PoolEviction.abort(connection);
            PoolEviction.evict(source, connection);
        }
    }

    /** Breaks the connection, so that statements that wait fail. It must be {@linkplain #close closed} nevertheless. */
    void abort() {
        if (fate.compareAndSet(Fate.OPEN, Fate.BROKEN)) {
            PoolEviction.abort(connection);
        }
    }

    /** Breaks the connection and gives it up, so that no pool lends it again. Does nothing if it was returned. */
    void discard() {
        abort();
        if (fate.get() == Fate.BROKEN) {
            PoolEviction.evict(source, connection);
        }
    }
}
