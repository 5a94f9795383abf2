// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.store.RecordBackend;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * A backend in a database: PostgreSQL 13 or later, MariaDB, MySQL 8 or later, or H2 2.x. The database is found out from
 * the first connection. MySQL gets the statements of MariaDB.
 *
 * <pre>{@code
 * LockClient client = LockClient.create(JdbcBackend.on(dataSource));
 * }</pre>
 *
 * <p>The backend takes three connections from the data source when the client is created, and keeps them until it is
 * closed: two for commands and one for messages. A pool must have room for them beside its other users: one that is
 * known to have fewer is refused, and one that has hardly more is warned of. A pool must not take them back, nor be
 * closed before the client (HikariCP's leak detection would report them, and never does more). Locks are never taken
 * inside a transaction of the application, and a held lock occupies no connection.
 *
 * <p>Time is that of the database. A lock that is free is acquired with one statement, and released with one, in
 * PostgreSQL; with two each in the other databases. PostgreSQL sends a client that waits its grant at once, if its own
 * driver is used. In the other databases, and behind PgBouncer in transaction mode, a client that waits asks for it
 * ({@link JdbcOptions#withPollInterval}).
 *
 * <p>A lock lasts as long as the database keeps its commits. After a failover to a replica that had not received all of
 * them, two clients may hold one lock until the first one's next renewal; synchronous replication prevents that.
 *
 * <p>One backend is for one client. Thread-safe.
 *
 * @since 0.1.0
 */
public final class JdbcBackend extends RecordBackend {

    private JdbcBackend(JdbcStore store) {
        super(store);
    }

    /**
     * Creates a backend with the default options. No round trip; the connections are made when the client is created.
     *
     * @param source where the connections come from: a pool, or the driver itself
     * @return a backend for one client
     */
    public static JdbcBackend on(DataSource source) {
        return on(source, JdbcOptions.defaults());
    }

    /**
     * Creates a backend. No round trip; the connections are made when the client is created.
     *
     * @param source where the connections come from: a pool, or the driver itself
     * @param options the options
     * @return a backend for one client
     */
    public static JdbcBackend on(DataSource source, JdbcOptions options) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(options, "options");
        return new JdbcBackend(new JdbcStore(source, options));
    }
}
