// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Messages by LISTEN and NOTIFY. Each client has a channel, and holds a shared advisory lock as long as its connection
 * lives, by which others see that it listens. The only class that uses PostgreSQL's driver. Not thread-safe.
 */
final class PostgresMessages implements Messages {
    /**
     * The longest wait for a notification, after which the thread looks whether it is to end or to change its channel.
     */
    private static final int WAIT_MILLIS = 200;
    /** A notification takes less than a millisecond, or never arrives. */
    private static final long PROBE = TimeUnit.SECONDS.toNanos(1);

    private final String prefix;
    private final StoreConnections connections;
    private @Nullable PostgresChannel channel;
    private boolean isLocked;

    PostgresMessages(String prefix, StoreConnections connections) {
        this.prefix = prefix;
        this.connections = connections;
    }

    /** Returns whether the driver of the connection has notifications. */
    static boolean isPossible(StoreSession session) throws SQLException {
        return session.connection.isWrapperFor(PGConnection.class);
    }

    /**
     * Begins, and sends a notification to this client over another connection. Returns whether it arrives within a
     * second: LISTEN has no effect behind PgBouncer in transaction mode.
     */
    boolean beginAndProbe(StoreSession session, String client) throws SQLException {
        PostgresChannel own = PostgresChannel.of(prefix, client);
        channel = own;
        isLocked = false; // a new session has no lock
        session.execute("LISTEN " + own.name());
        String probe = PostgresChannel.PROBE + UUID.randomUUID();
        connections.call(other -> own.notify(other, probe));
        boolean[] arrived = {false};
        for (long begun = System.nanoTime(); !arrived[0] && System.nanoTime() - begun < PROBE; ) {
            receiveAll(session, text -> arrived[0] |= text.equals(probe));
        }
        if (arrived[0]) {
            lock(session, own);
        } else {
            end(session);
        }
        return arrived[0];
    }

    @Override
    public void begin(StoreSession session, String client) throws SQLException {
        end(session);
        PostgresChannel own = PostgresChannel.of(prefix, client);
        channel = own;
        session.execute("LISTEN " + own.name());
        lock(session, own);
    }

    private void lock(StoreSession session, PostgresChannel own) throws SQLException {
        advisory(session, "pg_advisory_lock_shared", own);
        isLocked = true;
    }

    @Override
    public void receive(StoreSession session, Consumer<String> listener) throws SQLException {
        receiveAll(session, text -> {
            if (!text.startsWith(PostgresChannel.PROBE)) {
                listener.accept(text);
            }
        });
    }

    private void receiveAll(StoreSession session, Consumer<String> listener) throws SQLException {
        PGNotification[] notifications =
                session.connection.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
        PostgresChannel own = channel;
        if (notifications != null && own != null) {
            for (PGNotification each : notifications) {
                if (each.getName().equals(own.name())) {
                    listener.accept(each.getParameter());
                }
            }
        }
    }

    @Override
    public void end(StoreSession session) throws SQLException {
        PostgresChannel own = channel;
        if (own != null) {
            channel = null;
            session.execute("UNLISTEN *");
            if (isLocked) {
                isLocked = false;
                advisory(session, "pg_advisory_unlock_shared", own);
            }
        }
    }

    private static void advisory(StoreSession session, String function, PostgresChannel own) throws SQLException {
        NamedSql call = StoreDialect.POSTGRESQL.sql("", "SELECT " + function + "(:key)");
        try (NamedSql.Prepared statement = call.on(session.connection);
                ResultSet done = statement.set("key", own.key()).query()) {
            done.next();
        }
    }
}
