// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.connect.Connector.Made;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection to the master up. It pings the connection every second. It makes a new one if the connection
 * breaks, a ping stays unanswered, or the server is no longer the master. The pauses between attempts grow from 10 ms
 * to 1 s. Belongs to the loop thread.
 */
final class Reconnector {

    /*
     * States and events:
     *
     *   making   An attempt is under way. Made: up. Failed: pause. The master is elsewhere (follow): the attempt is
     *            given up, and a new one begins. If an attempt that was given up succeeds, its connection is closed (it
     *            is no longer `attempt`).
     *   up       A connection is `current`. Broken, silent, replaced, a replica, or the master is elsewhere: the
     *            shortest pause. Events of an older connection change nothing (it is not `current`).
     *   pause    Nothing is under way. It ends, or the master is elsewhere than in the last attempt: making.
     *   stopped  Final.
     */

    /** Receives the events of the connection, on the loop thread. */
    interface ReconnectorOwner {
        /** Called when the connection is up. */
        void up(Made made);

        /** Called when the connection is lost. */
        void down(BackendException cause);

        /** Called when an attempt has failed. The next one follows. */
        void failed(BackendException cause);
    }

    private static final String DEMOTED = "the server has become a replica";
    private static final long PING_MILLIS = 1_000;
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LAST_PAUSE_MILLIS = 1_000;

    private final EventExecutor loop;
    private final Supplier<ConnectionAttempt> maker;
    private final Function<ServerConnection, CompletionStage<Boolean>> pulse;
    private final int patience;
    private final ReconnectorOwner owner;

    private @Nullable ServerConnection current;
    private @Nullable ConnectionAttempt attempt;
    private @Nullable Future<?> pause;
    private @Nullable String tried;
    private int attempts;
    private int silentTicks;
    private boolean pinging;
    private long lastTick;
    private boolean stopped;

    /**
     * Creates a reconnector. Does not connect.
     *
     * @param pulse sends a ping, whose answer may be that the server is a replica now
     * @param patience how long a ping may stay unanswered
     */
    Reconnector(
            EventExecutor loop,
            Supplier<ConnectionAttempt> maker,
            Function<ServerConnection, CompletionStage<Boolean>> pulse,
            Duration patience,
            ReconnectorOwner owner) {
        this.loop = loop;
        this.maker = maker;
        this.pulse = pulse;
        this.patience = (int) Math.min(Integer.MAX_VALUE, (patience.toMillis() + PING_MILLIS - 1) / PING_MILLIS);
        this.owner = owner;
    }

    /** Begins to connect. */
    void start() {
        ConnectionAttempt started = maker.get();
        attempt = started;
        pause = null;
        started.made.whenComplete((made, failure) -> loop.execute(() -> {
            if (attempt != started) {
                if (made != null) {
                    made.connection().close();
                }
                return;
            }
            attempt = null;
            tried = started.where();
            if (made != null) {
                adopt(made);
            } else {
                owner.failed((BackendException) failure);
                startLater();
            }
        }));
    }

    /** Follows the master to an address. */
    void follow(String where) {
        ServerConnection connection = current;
        ConnectionAttempt under = attempt;
        if (stopped) {
            return;
        }
        if (connection != null) {
            if (!connection.where().equals(where)) {
                attempts = 0;
                lose(connection, "the master is at " + where + " now");
            }
        } else if (under != null) {
            if (!where.equals(under.where())) {
                attempt = null;
                under.giveUp();
                start();
            }
        } else if (pause != null && !where.equals(tried)) {
            pause.cancel(false);
            start();
        }
    }

    /** Takes over a connection that was made elsewhere. */
    void adopt(Made made) {
        ServerConnection connection = made.connection();
        current = connection;
        pinging = false;
        silentTicks = 0;
        lastTick = System.nanoTime();
        connection.onLost(() -> loseSoon(connection, "the server or the network closed it"));
        connection.onDemoted(() -> loseSoon(connection, DEMOTED));
        connection.onReplaced(why -> loseSoon(connection, "it was silent, and " + why.getMessage()));
        scheduleTick(connection);
        owner.up(made);
    }

    private void loseSoon(ServerConnection connection, String why) {
        try {
            loop.execute(() -> lose(connection, why));
        } catch (RejectedExecutionException e) {
            // the application has shut its threads down, and no other connection will be made
        }
    }

    /** Gives a connection up if it is still the current one, and makes another one. */
    void lose(ServerConnection connection, String why) {
        if (connection == current) {
            current = null;
            owner.down(
                    connection.errors().broken(why)); // first, so that commands sent from now on fail with the reason
            connection.close();
            startLater();
        }
    }

    /** Closes the connection, and makes no other one. The owner is not told. */
    CompletableFuture<@Nullable Void> stop() {
        stopped = true;
        ConnectionAttempt under = attempt;
        attempt = null;
        if (under != null) {
            under.giveUp();
        }
        ServerConnection last = current;
        current = null;
        return last == null ? CompletableFuture.completedFuture(null) : last.close();
    }

    private void startLater() {
        long longest = Math.min(LAST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempts, 10));
        attempts++;
        long jittered = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        pause = loop.schedule(
                () -> {
                    if (!stopped) {
                        start();
                    }
                },
                jittered,
                TimeUnit.MILLISECONDS);
    }

    private void scheduleTick(ServerConnection connection) {
        loop.schedule(() -> tick(connection), PING_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick(ServerConnection connection) {
        if (connection != current) {
            return;
        }
        long now = System.nanoTime();
        boolean onTime = now - lastTick < TimeUnit.MILLISECONDS.toNanos(PING_MILLIS * 3 / 2);
        lastTick = now;
        if (connection.isCondemned()) {
            lose(connection, "an error came between commands and their answers");
            return;
        }
        if (connection.stands() >= patience && onTime) {
            lose(connection, "commands were under way for " + patience * PING_MILLIS + " ms without an answer");
            return;
        }
        if (!pinging) {
            ping(connection);
        } else if (onTime
                && ++silentTicks
                        >= patience) { // late, because this process was suspended and the answer may have arrived
            lose(connection, "a ping was not answered for " + silentTicks * PING_MILLIS + " ms");
            return;
        }
        scheduleTick(connection);
    }

    private void ping(ServerConnection connection) {
        pinging = true;
        silentTicks = 0;
        pulse.apply(connection)
                .whenComplete((isReplica, error) -> loop.execute(
                        () -> { // an error is a sign of life, too
                            if (connection != current) {
                                return;
                            }
                            pinging = false;
                            attempts = 0;
                            if (Boolean.TRUE.equals(isReplica)) {
                                lose(connection, DEMOTED);
                            }
                        }));
    }
}
