package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;

/**
 * A short description of a lock, as the backend sees it.
 *
 * @param name the name of the lock
 * @param state whether the lock is held
 * @param fencingToken the first token of the holder, 0 without a holder; later tokens of the same client follow it
 *     closely
 * @param remaining how long until the holder's lease and takeover delay end, unless the lease is renewed, or until a
 *     lock that is kept closed opens
 * @param waiting how many requests wait for it, an upper bound; a client makes one request for all its waiters, unless
 *     they are {@link LockOptions.Fairness#FIFO FIFO}
 */
public record LockSummary(String name, State state, long fencingToken, Duration remaining, int waiting) {

    /** The state of a lock at the backend. */
    public enum State {
        /** No client has the lock. */
        FREE,
        /** No client has the lock, but it stays closed for a while: {@link LockOptions#withMinHold}. */
        KEPT,
        /** The lock was granted to a waiting client that has not confirmed it yet. */
        CLAIMED,
        /** A client holds the lock, or its lease has ended but the takeover delay has not. */
        HELD
    }

    /** Returns a text such as {@code stock:1001 HELD, fencing token 1763…, 21300 ms left, 3 waiting}. */
    @Override
    public String toString() {
        return Printable.text(name) + " " + state + (fencingToken == 0 ? "" : ", fencing token " + fencingToken)
                + (remaining.isZero() ? "" : ", " + Durations.text(remaining) + " left")
                + (waiting == 0 ? "" : ", " + waiting + " waiting");
    }
}
