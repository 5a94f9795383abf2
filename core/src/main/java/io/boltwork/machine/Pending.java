package io.boltwork.machine;

import io.boltwork.spi.Command;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is said to the backend about a {@link Request}, and by it: while the lock is asked for, and when it is given back. A
 * lease that is just held has none, for there may be very many of these. Times are the client's, in nanoseconds, unless they
 * are called server times.
 */
final class Pending {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The command whose answer is awaited. */
    @Nullable
    Command<?> awaited;

    /** When the last command was sent; {@link Ticker#NEVER} if none was. */
    long awaitedSince = Ticker.NEVER;

    /** How often in a row there was no answer. */
    int failures;

    /** When to ask again, or to send again what was not answered. */
    long dueAt = Ticker.NEVER;

    // ---- asking

    /** When the wish began. */
    long since;

    /** When the first acquire was sent; {@link Ticker#NEVER} once a connection was replaced before there was an answer. */
    long firstSent;

    /** When the acquire was sent that was answered last, and the server's time in that answer. */
    long answeredSent;

    @Nullable
    ServerTime answered;

    /** The lease of the grant that came by message, in milliseconds; 0 if none did. */
    long claimMillis;

    /** To be asked again when it has been answered: that answer may be older than what happened. */
    boolean askAgain;

    /** Acquires that were written and not answered: their bytes may still run. */
    int unanswered;

    /** The latest not-after: server time, and the server run it belongs to. */
    private long notAfter;

    private String notAfterRun = "";

    /** The same by this client's clock. */
    private long staleAt;

    /** The token of the grant that enough replicas know of; 0 for none. */
    long replicated;

    // ---- verifying

    /** Who counts what becomes of it after the connection was replaced, until that is known. */
    @Nullable
    RecoveryTally recovery;

    /** The server has answered that it had forgotten it. */
    boolean forgotten;

    /** The machine was suspended, and the server has not been heard since; {@code null} for most. */
    @Nullable
    MissedTime missedTime;

    // ---- ending

    /** Who gave it back. */
    @Nullable
    Hold releaser;

    /** Its release was sent more than once: an earlier sending may have run. */
    boolean repeated;

    /** When nothing of it can be left at the server. */
    long giveUpAt = Ticker.NEVER;

    /** Granted or queued again while a withdrawal was under way. */
    boolean withdrawAgain;

    void sent(Command<?> command, long now) {
        awaited = command;
        awaitedSince = now;
        dueAt = Ticker.NEVER;
    }

    /** Of a lease that is held: nothing is left to be heard, and nobody has to be told. */
    boolean isOver() {
        return unanswered == 0 && recovery == null && missedTime == null;
    }

    /** Something was sent that has effect until then: a server time of that run, and the client's time. */
    void hasEffectUntil(long serverTime, String run, long time) {
        notAfter = run.equals(notAfterRun) ? Math.max(notAfter, serverTime) : serverTime;
        notAfterRun = run;
        staleAt = Math.max(staleAt, time);
    }

    /**
     * How long what was sent has effect. It may have been sent for the clock of another server than the one that answers now: a
     * backend of several sends again what one of them has not got any more. Then this client's clock must do.
     */
    long effectEndsIn(ServerTime server, long now) {
        return server.run().equals(notAfterRun) ? (notAfter - server.millis()) * MILLI : staleAt - now;
    }
}
