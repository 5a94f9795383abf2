package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.redis.Connector.Made;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection up: makes it, pings it every second, and when it breaks or a ping stays unanswered, makes another one,
 * after pauses that grow from 10 ms to 1 s. All of it happens on the clerk's thread, so nothing here is guarded.
 */
final class Keeper {

    /** Who is told, on the clerk's thread. */
    interface Owner {
        /** The connection is up. */
        void up(Made made);

        /** It is not any more. */
        void down(BackendException cause);

        /** It could not be made; the next attempt follows. */
        void failed(BackendException cause);
    }

    private static final long PING_MILLIS = 1_000;
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LAST_PAUSE_MILLIS = 1_000;

    private final EventExecutor clerk;
    private final Supplier<CompletableFuture<Made>> maker;
    private final int patience;
    private final Owner owner;

    private @Nullable ServerConnection current;
    private int attempts;
    private int silentTicks;
    private boolean pinging;
    private long lastTick;
    private boolean stopped;

    /**
     * A keeper that has not begun.
     *
     * @param patience how long a ping may stay unanswered
     */
    Keeper(EventExecutor clerk, Supplier<CompletableFuture<Made>> maker, Duration patience, Owner owner) {
        this.clerk = clerk;
        this.maker = maker;
        this.patience = (int) Math.min(Integer.MAX_VALUE, (patience.toMillis() + PING_MILLIS - 1) / PING_MILLIS);
        this.owner = owner;
    }

    /** Begins to make a connection. */
    void start() {
        maker.get()
                .whenComplete((made, failure) -> clerk.execute(() -> {
                    if (stopped) {
                        if (made != null) {
                            made.connection().close();
                        }
                    } else if (made != null) {
                        adopt(made);
                    } else {
                        owner.failed((BackendException) failure);
                        startLater();
                    }
                }));
    }

    /** Takes over a connection that has been made. */
    void adopt(Made made) {
        ServerConnection connection = made.connection();
        current = connection;
        pinging = false;
        silentTicks = 0;
        lastTick = System.nanoTime();
        connection.onLost(() -> clerk.execute(() -> lose(connection, "the server or the network closed it")));
        scheduleTick(connection);
        owner.up(made);
    }

    /** Gives the connection up, if it still is the current one, and makes another. */
    void lose(ServerConnection connection, String why) {
        if (connection == current) {
            current = null;
            connection.close();
            owner.down(connection.errors().broken(why));
            startLater();
        }
    }

    /** Closes the connection and makes no more; nobody is told. */
    CompletableFuture<@Nullable Void> stop() {
        stopped = true;
        ServerConnection last = current;
        current = null;
        return last == null ? CompletableFuture.completedFuture(null) : last.close();
    }

    private void startLater() {
        long pause = Math.min(LAST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempts, 10));
        attempts++;
        long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
        clerk.schedule(
                () -> {
                    if (!stopped) {
                        start();
                    }
                },
                jittered,
                TimeUnit.MILLISECONDS);
    }

    private void scheduleTick(ServerConnection connection) {
        clerk.schedule(() -> tick(connection), PING_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick(ServerConnection connection) {
        if (connection != current) {
            return;
        }
        long now = System.nanoTime();
        boolean onTime = now - lastTick < TimeUnit.MILLISECONDS.toNanos(PING_MILLIS * 3 / 2);
        lastTick = now;
        if (!pinging) {
            ping(connection);
        } else if (onTime && ++silentTicks >= patience) { // late: this process stood still, and the answer may be here
            lose(connection, "a ping was not answered for " + silentTicks * PING_MILLIS + " ms");
            return;
        }
        scheduleTick(connection);
    }

    private void ping(ServerConnection connection) {
        pinging = true;
        silentTicks = 0;
        connection
                .ping()
                .whenComplete((pong, error) -> clerk.execute(
                        () -> { // an error is a sign of life too
                            if (connection == current) {
                                pinging = false;
                                attempts = 0;
                            }
                        }));
    }
}
