// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.Patience;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An attempt to connect, on a thread of its own. Drivers may wait without end for a server that has accepted the
 * connection and then stopped. Such an attempt is given up, and a connection that comes of it later is returned.
 */
final class ConnectAttempt {
    /** The most attempts that are given up and still running: each has a thread, and perhaps a connection. */
    private static final int MOST_ABANDONED = 3;

    private final CompletableFuture<StoreSession> session = new CompletableFuture<>();
    private final AtomicInteger abandoned;
    private final Thread thread;

    private ConnectAttempt(Callable<StoreSession> connecting, AtomicInteger abandoned) {
        this.abandoned = abandoned;
        this.thread = new Thread(() -> run(connecting), "boltwork-jdbc-connect");
        thread.setDaemon(true);
    }

    /**
     * Begins to connect.
     *
     * @throws SQLException if too many earlier attempts have not ended
     */
    static ConnectAttempt begin(Callable<StoreSession> connecting, AtomicInteger abandoned) throws SQLException {
        if (abandoned.get() >= MOST_ABANDONED) {
            throw new SQLTransientConnectionException(MOST_ABANDONED + " attempts to connect have not ended");
        }
        ConnectAttempt attempt = new ConnectAttempt(connecting, abandoned);
        attempt.thread.start();
        return attempt;
    }

    private void run(Callable<StoreSession> connecting) {
        try {
            StoreSession made = connecting.call();
            if (!session.complete(made)) {
                abandoned.decrementAndGet();
                made.close();
            }
        } catch (Exception | Error failed) {
            if (!session.completeExceptionally(failed)) {
                abandoned.decrementAndGet();
            }
        }
    }

    /** Waits for the session. */
    StoreSession await(Duration patience) throws SQLException {
        try {
            return Patience.of(patience).get(session);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof SQLException sql) {
                throw sql;
            }
            if (cause instanceof RuntimeException known) {
                throw known;
            }
            throw new SQLException(String.valueOf(cause), cause);
        } catch (TimeoutException | InterruptedException givenUp) {
            abandoned.incrementAndGet();
            if (session.cancel(false)) {
                thread.interrupt();
            } else {
                abandoned.decrementAndGet();
                session.thenAccept(StoreSession::close);
            }
            throw new SQLTransientConnectionException(
                    "The database did not finish connecting within " + patience.toMillis() + " ms", givenUp);
        }
    }
}
