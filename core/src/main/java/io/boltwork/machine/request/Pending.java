// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.spi.Command;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Signal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The commands and answers about a {@link Request} that matter for its next step, while the lock is asked for and when
 * it is released. A lease that is merely held has none, because there may be very many such leases. Times are the
 * client's, in nanoseconds, unless they are called server times.
 */
public final class Pending {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The command whose answer is awaited. */
    @Nullable
    public Command<?> awaited;

    /** The time at which the last command was sent; {@link Ticker#NEVER} if none was. */
    public long awaitedSince = Ticker.NEVER;

    /** The number of commands in a row that were not answered. */
    public int failures;

    /** The time of the next request, or of the next repetition of an unanswered command. */
    public long dueAt = Ticker.NEVER;

    // ---- asking

    /** The time at which the request was made. */
    public long since;

    /**
     * The time at which the first acquire was sent; {@link Ticker#NEVER} if the connection was replaced before the
     * answer.
     */
    public long firstSent;

    /** The time at which the last answered acquire was sent. */
    public long answeredSent;

    /** The server's time in the answer to it. */
    @Nullable
    public ServerTime answered;

    /** The lease of the grant by message, in milliseconds; 0 if there was none. */
    public long claimMillis;

    /** True if the request must ask again after the awaited answer, which may be older than the latest event. */
    public boolean askAgain;

    /** The number of acquires that were written and not answered: their bytes may still be executed. */
    public int unanswered;

    /** The latest not-after: a server time. */
    private long notAfter;

    /** The server run that the not-after belongs to. */
    private String notAfterRun = "";

    /** The latest not-after, by this client's clock. */
    private long staleAt;

    /** The token of the grant that enough replicas have confirmed; 0 for none. */
    public long replicated;

    // ---- verifying

    /** Counts the fate of the hold after the connection was replaced, until that is known. */
    @Nullable
    RecoveryTally recovery;

    /** True if the server has answered that it had forgotten the hold. */
    boolean forgotten;

    /** The examination since the machine was suspended; {@code null} if there is none. */
    @Nullable
    MissedTime missedTime;

    // ---- ending

    /** The hold whose owner waits for the answer to its release. */
    @Nullable
    public Hold releaser;

    /** The signals that the release or the withdrawal carries, each time it is sent. */
    public List<Signal> signals = List.of();

    /** True if the release was sent more than once: an earlier copy may have been executed. */
    public boolean repeated;

    /** The time from which nothing of the request can be left at the server. */
    public long giveUpAt = Ticker.NEVER;

    /** True if a withdrawal must be sent after the awaited answer. */
    public boolean withdrawAgain;

    /** Sets the command whose answer is awaited, when it is sent. */
    void sent(Command<?> command, long now) {
        awaited = command;
        awaitedSince = now;
        dueAt = Ticker.NEVER;
    }

    /**
     * Keeps the server's time of the newest answer that confirms the request. The acquire was sent at the given time.
     */
    public void knownTo(ServerTime server, long sent) {
        failures = 0;
        if (answered == null || sent >= answeredSent) {
            answeredSent = sent;
            answered = server;
        }
    }

    /** Returns whether nothing is pending about a lease that is held. */
    boolean isOver() {
        return unanswered == 0 && recovery == null && missedTime == null;
    }

    /**
     * Keeps the last time at which a sent command may take effect: {@code serverTime} by the clock of that server run,
     * or {@code time} by the client's clock.
     */
    void hasEffectUntil(long serverTime, String run, long time) {
        notAfter = run.equals(notAfterRun) ? Math.max(notAfter, serverTime) : serverTime;
        notAfterRun = run;
        staleAt = Math.max(staleAt, time);
    }

    /**
     * Returns for how much longer the commands sent may take effect. Their not-after may be by the clock of another
     * server than the one that answers now, because a backend of several servers redirects commands. Then the client's
     * clock decides.
     */
    long effectEndsIn(ServerTime server, long now) {
        return server.run().equals(notAfterRun) ? (notAfter - server.millis()) * MILLI : staleAt - now;
    }
}
