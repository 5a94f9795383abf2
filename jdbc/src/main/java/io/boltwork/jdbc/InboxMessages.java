// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Messages in a table. A client asks for them only while it waits for something, and says at least once a second then
 * that it does. {@link #begin}, {@link #receive} and {@link #end} are called by one thread; all else is thread-safe.
 */
final class InboxMessages implements Messages {
    /** A client is gone if it has not said for so long that it asks for messages, in microseconds. */
    static final long LIFE_MICROS = TimeUnit.SECONDS.toMicros(3);

    /** A third of the life, so that two refreshes may fail. */
    private static final long REFRESH = TimeUnit.SECONDS.toNanos(1);
    /** The pause while the client awaits no message; it is ended as soon as one is awaited. */
    private static final long IDLE = TimeUnit.SECONDS.toNanos(1);
    /** One read returns so few that its time is about that of one message. */
    private static final int MOST_AT_ONCE = 100;

    private final long pollNanos;
    private volatile boolean awaited;
    private volatile String client = "";

    /** The time at which the client last said that it asks; long ago if it has not. */
    private volatile long presentAt = System.nanoTime() - REFRESH;

    InboxMessages(Duration pollInterval) {
        this.pollNanos = pollInterval.toNanos();
    }

    void await(boolean messages) {
        awaited = messages;
    }

    /** Returns whether it is time to announce that this client looks for its messages, before it waits for one. */
    boolean isPresenceDue() {
        return System.nanoTime() - presentAt > REFRESH;
    }

    /** Announces that this client looks for its messages. */
    boolean present(StoreSession session) throws SQLException {
        long now = System.nanoTime();
        String self = client;
        try (NamedSql.Prepared seen = session.sql().seen.on(session.connection)) {
            seen.set("client", self.getBytes(StandardCharsets.UTF_8)).update();
        }
        if (self.equals(client)) {
            presentAt = now;
        }
        return true;
    }

    /** Sends a message to a client. */
    static boolean send(StoreSession session, String client, long id, String message) throws SQLException {
        try (NamedSql.Prepared send = session.sql().send.on(session.connection)) {
            return send.set("client", client.getBytes(StandardCharsets.UTF_8))
                            .set("id", id)
                            .set("message", message)
                            .update()
                    > 0;
        }
    }

    /** Returns whether a client asks for its messages. */
    static boolean isPresent(StoreSession session, String client) throws SQLException {
        try (NamedSql.Prepared present = session.sql().isPresent.on(session.connection);
                ResultSet row = present.set("client", client.getBytes(StandardCharsets.UTF_8))
                        .set("life", LIFE_MICROS)
                        .query()) {
            row.next();
            return row.getInt(1) > 0;
        }
    }

    @Override
    public void begin(StoreSession session, String id) {
        client = id;
        presentAt = System.nanoTime() - REFRESH - 1;
    }

    @Override
    public void receive(StoreSession session, Consumer<String> listener) throws SQLException {
        if (!awaited) {
            LockSupport.parkNanos(this, IDLE);
            return;
        }
        if (isPresenceDue()) {
            present(session);
        }
        long begun = System.nanoTime();
        if (!take(session, listener)) {
            LockSupport.parkNanos(this, pollNanos - (System.nanoTime() - begun));
        }
    }

    /** Reads messages and deletes them. Returns whether there may be more. */
    private boolean take(StoreSession session, Consumer<String> listener) throws SQLException {
        List<Long> ids = new ArrayList<>();
        List<String> messages = new ArrayList<>();
        byte[] self = client.getBytes(StandardCharsets.UTF_8);
        try (NamedSql.Prepared receive = session.sql().receive.on(session.connection);
                ResultSet row =
                        receive.set("client", self).set("count", MOST_AT_ONCE).query()) {
            while (row.next()) {
                ids.add(row.getLong("id"));
                messages.add(row.getString("message"));
            }
        }
        messages.forEach(listener);
        if (!ids.isEmpty()) {
            try (NamedSql.Prepared received = session.sql().received.on(session.connection)) {
                for (long id : ids) {
                    received.set("client", self).set("id", id).batch();
                }
                received.updateAll();
            }
        }
        return ids.size() == MOST_AT_ONCE;
    }

    @Override
    public void end(StoreSession session) throws SQLException {
        try (NamedSql.Prepared forget = session.sql().forgetPresence.on(session.connection)) {
            forget.set("client", client.getBytes(StandardCharsets.UTF_8)).update();
        }
    }
}
