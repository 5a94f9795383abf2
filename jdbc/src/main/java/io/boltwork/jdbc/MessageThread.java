// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.spi.Patience;
import io.boltwork.store.StoreListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that receives the messages of a client, and tells the listener of outages and of their ends. Thread-safe.
 */
final class MessageThread {
    /** The connection for messages is checked as often as the others. */
    private static final long PING = TimeUnit.SECONDS.toNanos(5);

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(2);
    private static final int DOUBLINGS = 10;

    private static final String NO_NOTIFICATIONS =
            "PostgreSQL's notifications do not arrive (behind PgBouncer in transaction"
                    + " mode they never do), so this client asks for its messages while it waits for a lock";

    private final StoreConnections connections;
    private final StoreTables tables;
    private final String prefix;
    private final StoreListener listener;
    private final InboxMessages inbox;
    private final Thread thread = new Thread(this::run, "boltwork-jdbc-messages");
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private volatile boolean closed;
    private volatile String client;
    private volatile boolean isPush;

    /** The rest belongs to the thread. */
    private Messages messages;

    private @Nullable StoreSession session;
    private String begun = "";
    private boolean isUp;
    private boolean warned;
    private boolean warnedOfPool;

    /** The failures since the last success. */
    private int refusals;

    MessageThread(
            StoreConnections connections,
            StoreTables tables,
            JdbcOptions options,
            String client,
            StoreListener listener) {
        this.connections = connections;
        this.tables = tables;
        this.prefix = options.tablePrefix();
        this.listener = listener;
        this.inbox = new InboxMessages(options.pollInterval());
        this.messages = inbox;
        this.client = client;
        thread.setDaemon(true);
    }

    /** Starts the thread, and waits until messages arrive. */
    void open(Duration patience) {
        thread.start();
        Patience left = Patience.of(patience);
        while (true) {
            try {
                opened.get(10, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException waiting) {
                Throwable problem = opened.isDone() ? null : connections.problem();
                if (problem != null) {
                    throw connections.exception(problem);
                }
                if (left.next() == 0) {
                    throw connections.exception(new SQLException("No connection within " + patience.toMillis()
                            + " ms. The backend needs three connections for itself"));
                }
            } catch (ExecutionException failed) {
                Throwable cause = failed.getCause();
                throw connections.exception(cause == null ? failed : cause);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new BackendException("Interrupted while connecting", true, interrupted);
            }
        }
    }

    void rename(String id) {
        client = id;
        LockSupport.unpark(thread);
    }

    void await(boolean awaited) {
        inbox.await(awaited);
        LockSupport.unpark(thread);
    }

    /** Returns whether the database sends messages. */
    boolean isPush() {
        return isPush;
    }

    /** Returns whether the client must say that it asks for messages before it waits. */
    boolean isPresenceDue() {
        return !isPush && inbox.isPresenceDue();
    }

    boolean present(StoreSession other) throws SQLException {
        return inbox.present(other);
    }

    /** Ends the thread. Waits for that a short time. */
    void close(long patienceMillis) {
        closed = true;
        thread.interrupt();
        LockSupport.unpark(thread);
        if (isPush) { // a notification ends its wait sooner than the wait ends itself
            Thread waking = new Thread(this::wake, "boltwork-jdbc-wake");
            waking.setDaemon(true);
            waking.start();
        }
        if (thread != Thread.currentThread()) {
            try {
                thread.join(patienceMillis);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void wake() {
        try {
            connections.call(session -> PostgresChannel.of(prefix, client).notify(session, PostgresChannel.PROBE));
        } catch (BackendException late) { // the wait ends soon
        }
    }

    private void run() {
        while (!closed && connections.end() == null) {
            Throwable cause;
            try {
                cause = serve();
            } catch (InterruptedException woken) {
                cause = null;
            } catch (SQLException | RuntimeException failed) {
                cause = failed;
                StoreSession broken = session;
                session = null;
                if (broken != null) {
                    connections.lostMessenger(broken, failed);
                }
            }
            if (cause != null && !closed) {
                BackendException failure = connections.exception(cause);
                opened.completeExceptionally(failure);
                disconnected(failure);
                pause(); // a connection may be made at once, and fail again at once
            }
        }
        BackendException over = connections.end();
        if (over != null && !closed) {
            opened.completeExceptionally(over);
            listener.ended(over);
        }
        end();
    }

    private void end() {
        StoreSession last = session;
        if (last != null) {
            boolean wasInterrupted = Thread.interrupted();
            try {
                messages.end(last);
            } catch (SQLException | RuntimeException broken) {
                last.abort();
            }
            connections.returnMessenger(last);
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Receives messages until the connections are lost. Returns the cause; {@code null} at the end. */
    private @Nullable Throwable serve() throws SQLException, InterruptedException {
        StoreSession current = session;
        if (current == null) {
            current = connections.takeMessenger();
            session = current;
            begin(current);
        } else {
            connections.awaitCommands();
        }
        connected(current);
        while (!closed) {
            Throwable outage = connections.outage();
            if (outage != null) {
                return outage;
            }
            if (!begun.equals(client)) {
                begun = client;
                messages.begin(current, begun);
                listener.connected(current.ask().earliest());
            }
            if (current.idleNanos() > PING) {
                current.ask();
                current.used();
            }
            checkPool();
            receive(current);
        }
        return null;
    }

    private void checkPool() {
        String late = warnedOfPool ? null : connections.late();
        if (late != null) {
            warnedOfPool = true;
            listener.warned(late);
        }
    }

    /** Receives messages. A database that refuses that is asked again after ever longer pauses. */
    private void receive(StoreSession current) throws SQLException {
        try {
            messages.receive(current, this::deliver);
            refusals = 0;
        } catch (SQLException failure) {
            if (!tables.failures().isRefusal(failure) || tables.failures().mayPass(failure)) {
                throw failure;
            }
            if (refusals == 0) {
                listener.warned("Messages cannot be received, so grants arrive some seconds late: "
                        + connections.exception(failure).getMessage());
            }
            pause();
        }
    }

    private void pause() {
        LockSupport.parkNanos(this, Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(refusals, DOUBLINGS)));
        refusals++;
    }

    private void begin(StoreSession current) throws SQLException {
        begun = client;
        isPush = false;
        messages = inbox;
        if (tables.statements().dialect == StoreDialect.POSTGRESQL) {
            PostgresMessages pushed = pushed(current);
            if (pushed != null && pushed.beginAndProbe(current, begun)) {
                messages = pushed;
                isPush = true;
                return;
            }
            if (!warned) {
                warned = true;
                listener.warned(NO_NOTIFICATIONS);
            }
        }
        inbox.begin(current, begun);
    }

    /** Returns {@code null} if the connection is not of PostgreSQL's driver. */
    private @Nullable PostgresMessages pushed(StoreSession current) throws SQLException {
        try {
            return PostgresMessages.isPossible(current) ? new PostgresMessages(prefix, connections) : null;
        } catch (LinkageError withoutDriver) {
            return null;
        }
    }

    private void deliver(String message) {
        try {
            listener.message(message);
        } catch (RuntimeException defect) { // as good as a message that is lost on its way
            LOG.log(System.Logger.Level.ERROR, "A message of the database could not be handled", defect);
        }
    }

    private void connected(StoreSession current) throws SQLException {
        isUp = true;
        listener.connected(current.ask().earliest());
        current.used();
        opened.complete(null);
    }

    private void disconnected(BackendException failure) {
        if (isUp && connections.end() == null) {
            isUp = false;
            listener.disconnected(failure);
        }
    }
}
