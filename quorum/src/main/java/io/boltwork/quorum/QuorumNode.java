// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Witness;
import io.boltwork.spi.rules.ServerClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One server of a quorum: whether it may vote, how fast it answers, and the commands that it has not answered.
 * Everything happens in the events of the quorum's {@link SerialQueue}.
 */
final class QuorumNode implements BackendListener {
    /*
     * States: not connected -> connected, being checked -> checked. Checked, it may vote unless it is set aside or in
     * quarantine. Each connection is checked anew, before anything else is sent, because the server may have lost its
     * votes.
     */

    /**
     * The time between two messages to the server about its uptime. Clients that come later wait for this much longer
     * at most.
     */
    private static final long WITNESS_PERIOD = TimeUnit.SECONDS.toNanos(20);

    /** The pause before a failed check is repeated: the server does not vote until then. */
    private static final long CHECK_AGAIN = TimeUnit.MILLISECONDS.toNanos(500);

    /** The number of unanswered commands in a row after which the server is set aside. A single one may be a pause. */
    private static final int SET_ASIDE_AFTER = 2;

    /** One part in this many is added to the quarantine: twice the 1 % by which the rates of clocks may differ. */
    private static final int DRIFT_PART = 50;

    /** A time that is never reached. */
    private static final long NEVER = Long.MAX_VALUE;

    /** A new measurement counts one part in this many in the smoothed round trip, as in TCP (RFC 6298). */
    private static final int SMOOTHING = 8;

    final int index;
    final LockBackend backend;
    private final QuorumWorld world;
    private final SerialQueue events;
    private final QuorumOptions options;
    private final Watcher watcher;

    private final Set<Sent> open = new LinkedHashSet<>();
    private long timerAt = NEVER;

    private ServerClock clock = new ServerClock("");
    private boolean connected;
    private boolean checked;
    private boolean aside;
    private boolean isOver;
    private int unanswered;
    private long patience = TimeUnit.MILLISECONDS.toNanos(500);
    private long votesFrom;

    /** For how long the run has been watched, in nanoseconds, and when that was known. */
    private long watched;

    private long watchedAt;
    private int witnessing;
    private long roundTrip;
    private @Nullable Throwable failure;

    /** The reason why the server never votes; {@code null} if it may. */
    private @Nullable String exclusion;

    /** Is told what concerns the whole quorum. */
    interface Watcher {
        /** Called when the server may begin or cease to vote. */
        void changed(QuorumNode node);

        void freed(QuorumNode node, LockFreed freed);

        void taken(QuorumNode node, HoldTaken taken);

        /** Called for each problem with the server's configuration. */
        void warned(QuorumNode node, String what);
    }

    /** The recipient of the reply to a command. */
    interface Handler {
        /** Called with the reply, which may be late. */
        void replied(Reply reply);

        /** Called if there is no reply in time. */
        default void late() {}
    }

    QuorumNode(
            int index,
            LockBackend backend,
            QuorumWorld world,
            SerialQueue events,
            QuorumOptions options,
            Watcher watcher) {
        this.index = index;
        this.backend = backend;
        this.world = world;
        this.events = events;
        this.options = options;
        this.watcher = watcher;
    }

    // ================================================================ what the server may do

    /** Returns whether votes may be asked of the server. */
    boolean mayVote() {
        return isUsable() && world.now() >= votesFrom;
    }

    /** Returns whether commands can be sent to the server with some hope. */
    boolean isUsable() {
        return connected && checked && !aside && exclusion == null;
    }

    /** Lets the server never vote. */
    void exclude(String reason) {
        exclusion = reason;
    }

    boolean isConnected() {
        return connected;
    }

    /** Returns whether the server has been asked how long it has been up, since the last connection. */
    boolean isChecked() {
        return checked;
    }

    /** Returns the run of the server that may vote. */
    String run() {
        return clock.run();
    }

    /** Returns why the server has failed last, or {@code null}. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Returns how long answers take, in nanoseconds; 0 if that is not known. */
    long roundTrip() {
        return roundTrip;
    }

    /** Returns the server's time, in milliseconds since the epoch. */
    long millis() {
        return clock.millisAt(world.now());
    }

    /** Returns why the server does not vote; {@code null} if it does. */
    @Nullable
    String problem() {
        Throwable cause = failure;
        if (exclusion != null) {
            return exclusion;
        } else if (!connected) {
            return "is not connected" + (cause == null ? "" : ": " + cause.getMessage());
        } else if (aside) {
            return "has not answered within " + TimeUnit.NANOSECONDS.toMillis(patience) + " ms";
        } else if (!checked) {
            return "has not yet reported how long it has been up";
        } else if (world.now() < votesFrom) {
            long millis = TimeUnit.NANOSECONDS.toMillis(votesFrom - world.now()) + 1;
            return "does not vote for another " + Durations.text(Duration.ofMillis(millis))
                    + ", because it may have started and lost its votes";
        }
        return null;
    }

    @Override
    public String toString() {
        return backend.toString();
    }

    // ================================================================ commands

    /** Sends a command. */
    void send(Command<?> command, long patienceNanos, Handler handler) {
        Sent sent = new Sent(world.now(), world.now() + patienceNanos, patienceNanos, handler);
        open.add(sent);
        runTimer(sent.until);
        backend.send(command, reply -> events.run(() -> replied(sent, reply)));
    }

    private record Sent(long at, long until, long patience, Handler handler) {
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private void replied(Sent sent, Reply reply) {
        open.remove(sent);
        if (reply instanceof Reply.Answer answer) {
            heard(sent, answer);
        } else if (reply instanceof Reply.Failed failed) {
            failure = failed.cause();
        }
        sent.handler.replied(reply);
    }

    private void heard(Sent sent, Reply.Answer answer) {
        long now = world.now();
        long took = now - sent.at;
        roundTrip = roundTrip == 0 ? took : roundTrip + (took - roundTrip) / SMOOTHING;
        unanswered = 0;
        if (answer.server().run().equals(clock.run())) {
            clock.read(answer.server().millis(), now, 0);
        }
        if (aside) {
            aside = false;
            watcher.changed(this);
        }
    }

    private void runTimer(long at) {
        if (at < timerAt) {
            timerAt = at;
            world.timers().schedule(() -> events.run(this::lookAtTime), at - world.now());
        }
    }

    private void lookAtTime() {
        timerAt = NEVER;
        long now = world.now();
        long next = NEVER;
        List<Sent> late = new ArrayList<>();
        for (Sent sent : open) {
            if (now >= sent.until) {
                late.add(sent);
            } else {
                next = Math.min(next, sent.until);
            }
        }
        for (Sent sent : late) {
            open.remove(sent);
            patience = sent.patience;
            unanswered++;
            sent.handler.late();
        }
        runTimer(next);
        if (unanswered >= SET_ASIDE_AFTER && connected && !aside) {
            aside = true;
            watcher.changed(this);
            probe();
        }
    }

    /** Asks the server that was set aside, with one command at a time. */
    private void probe() {
        Witness question = new Witness(run(), 0);
        backend.send(
                question,
                reply -> events.run(() -> {
                    if (reply instanceof Reply.Answer answer) {
                        heard(new Sent(world.now() - roundTrip, 0, patience, late -> {}), answer);
                    } // else the connection is broken, and a new one is checked
                }));
    }

    // ================================================================ connections

    @Override
    public void connected(ServerTime server) {
        events.run(() -> {
            connected = true;
            checked = false;
            aside = false;
            unanswered = 0;
            if (!server.run().equals(clock.run())) {
                clock = new ServerClock(server.run());
                watched = 0;
                watchedAt = world.now();
            }
            clock.read(server.millis(), world.now(), 0);
            check();
        });
    }

    @Override
    public void disconnected(Throwable cause) {
        events.run(() -> {
            failure = cause;
            connected = false;
            checked = false;
            watcher.changed(this);
        });
    }

    @Override
    public void ended(Reply.Failed refusal) {
        events.run(() -> {
            isOver = true;
            disconnected(refusal.cause());
        });
    }

    /** Returns whether the server will not be connected again. */
    boolean isOver() {
        return isOver;
    }

    /** Sets the reason why the server cannot be opened. */
    void failedToOpen(BackendException cause) {
        events.run(() -> {
            failure = cause;
            watcher.changed(this);
        });
    }

    /** Asks how long the server has been up, and tells it what is known here. */
    private void check() {
        String run = run();
        Witness question = new Witness(run, millisWatched());
        send(question, patience, new Handler() {
            @Override
            public void replied(Reply reply) {
                if (!connected || !run.equals(run())) {
                    return; // it has been connected again, which has caused another check
                }
                if (reply instanceof Reply.Witnessed witnessed
                        && witnessed.server().run().equals(run)) {
                    passed(witnessed);
                } else if (!checked) {
                    world.timers().schedule(() -> events.run(QuorumNode.this::checkUnlessDone), CHECK_AGAIN);
                }
            }
        });
    }

    private void checkUnlessDone() {
        if (connected && !checked) {
            check();
        }
    }

    private long millisWatched() {
        return TimeUnit.NANOSECONDS.toMillis(watched + world.now() - watchedAt);
    }

    private void passed(Reply.Witnessed witnessed) {
        long known = Math.max(witnessed.watchedMillis(), millisWatched());
        watched = TimeUnit.MILLISECONDS.toNanos(known);
        watchedAt = world.now();
        long trusted = options.trustUptime() ? Math.max(known, witnessed.uptimeMillis()) : known;
        long longest = options.longestLease().toMillis();
        long left = longest + longest / DRIFT_PART - trusted;
        boolean wasChecked = checked;
        checked = true;
        if (left > 0 && !witnessed.durable()) {
            votesFrom = world.now() + TimeUnit.MILLISECONDS.toNanos(left);
            world.timers().schedule(() -> events.run(this::quarantineEnded), votesFrom - world.now());
        } else {
            votesFrom = world.now();
        }
        if (!wasChecked) {
            watcher.changed(this);
            witnessLater(++witnessing);
        }
    }

    private void quarantineEnded() {
        if (connected && checked) {
            check(); // so that a client which comes now need not wait
        }
        watcher.changed(this);
    }

    private void witnessLater(int connection) {
        world.timers()
                .schedule(
                        () -> events.run(() -> {
                            if (connected && connection == witnessing) {
                                check();
                                witnessLater(connection);
                            }
                        }),
                        WITNESS_PERIOD);
    }

    // ================================================================ messages

    @Override
    public void granted(Grant grant) {} // votes are not queued

    @Override
    public void freed(LockFreed freed) {
        events.run(() -> watcher.freed(this, freed));
    }

    @Override
    public void told(HolderMessage message) {
        if (message instanceof HoldTaken taken) { // a quorum has no retention
            events.run(() -> watcher.taken(this, taken));
        }
    }

    @Override
    public void warned(String what) {
        events.run(() -> watcher.warned(this, what));
    }
}
