package io.boltwork;

import io.boltwork.spi.Command;
import io.boltwork.spi.ServerTime;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lock at the backend, from the first acquire to the last withdrawal. Belongs to its {@link LockMachine}; only
 * the deadline is read by others. Times are the client's, in nanoseconds, unless they are called server times.
 */
final class Request {

    /** Where a request stands. docs/synchronization.md draws the ways between. */
    enum State {
        /** Asks for the lock and waits for it. */
        WANTED,
        /** Owns the lock. */
        HELD,
        /** Owned the lock; its owner here has not unwound yet. */
        LOST,
        /** Gives the lock back and waits for the answer. */
        RELEASING,
        /** Nobody wants it; it is being withdrawn. */
        UNDOING
    }

    final String lock;
    final String id;
    final LockOptions options;
    final boolean tryOnly;

    State state;

    /** The command whose answer is awaited, and when it was sent. */
    @Nullable
    Command awaited;

    long awaitedSince;

    /** How often in a row there was no answer. */
    int failures;

    // ---- asking

    /** When the first acquire was sent; {@link Ticker#NEVER} once a connection was replaced before there was an answer. */
    long firstSent;

    /** When the acquire was sent that was answered last, and the server's time in that answer. */
    long answeredSent;

    @Nullable
    ServerTime answered;

    /** When to ask again, or to send again what was not answered. */
    long dueAt = Ticker.NEVER;

    /** The server has said that it knows the request. */
    boolean known;

    /** Acquires that were written and not answered: their bytes may still run. */
    int unanswered;

    /** The latest not-after: server time, the server run it belongs to, and local time (never earlier). */
    long notAfter;

    String notAfterRun = "";
    long notAfterHere;

    /** When something was last written that can make the request an owner. */
    long written;

    // ---- holding

    /** When the lease counts as lost; {@link Ticker#NEVER} until it is held. Moves forward only. */
    volatile long deadline = Ticker.NEVER;

    long firstToken;
    long lastToken;

    /** Whether the server has answered for the whole lease, and on this connection; else it is asked soon. */
    boolean confirmed;

    /** When the lease is to be renewed. */
    long renewAt;

    /** When a fixed lease ends at the server at the earliest; {@link Ticker#NEVER} for a renewed one. */
    long fixedEnd = Ticker.NEVER;

    /** When the renewal was sent that has not been answered; {@link Ticker#NEVER} if there is none. */
    long renewing = Ticker.NEVER;

    /** Renewals that were sent since the last answer. */
    int renewals;

    /** Until when it may be handed over inside the client. */
    long sliceEnd;

    // ---- ending

    /** Who gave it back. */
    @Nullable
    Hold releaser;

    /** How often the release was sent. */
    int releases;

    /** When nothing of it can be left at the server. */
    long giveUpAt = Ticker.NEVER;

    /** Granted or queued again while a withdrawal was under way. */
    boolean withdrawAgain;

    Request(String lock, String id, LockOptions options, boolean tryOnly, State state) {
        this.lock = lock;
        this.id = id;
        this.options = options;
        this.tryOnly = tryOnly;
        this.state = state;
    }

    boolean serves(Waiter waiter) {
        return tryOnly == waiter.tryOnly && options.equals(waiter.options);
    }

    @Override
    public String toString() {
        return id + " " + state;
    }
}
