package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Duration;

/**
 * A lock in short, as the backend sees it.
 *
 * @param name its name
 * @param state whether anybody has it
 * @param fencingToken the first token of the holder, 0 without one; later ones of the same client follow it closely
 * @param remaining how long until the holder's lease and takeover delay end, or the lock is not kept any more, unless renewed
 * @param waiting how many requests wait for it, an upper bound; a client has one of them for all its waiters unless they are
 *     {@link LockOptions.Fairness#FIFO FIFO}
 */
public record LockSummary(String name, State state, long fencingToken, Duration remaining, int waiting) {

    /** Whether anybody has a lock. */
    public enum State {
        /** Nobody. */
        FREE,
        /** Nobody, but it stays closed for a while: {@link LockOptions#withMinHold}. */
        KEPT,
        /** Somebody to whom it was given while waiting, and who has not answered to that yet. */
        CLAIMED,
        /** Somebody. */
        HELD
    }

    /** Such as {@code stock:1001 HELD, fencing token 1763…, 21300 ms left, 3 waiting}. */
    @Override
    public String toString() {
        return Printable.text(name) + " " + state + (fencingToken == 0 ? "" : ", fencing token " + fencingToken)
                + (remaining.isZero() ? "" : ", " + Durations.text(remaining) + " left")
                + (waiting == 0 ? "" : ", " + waiting + " waiting");
    }
}
