// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;

/**
 * A short description of a lock, as the backend sees it.
 *
 * @param kind the kind of the lock
 * @param name the name of the lock
 * @param state whether the lock is held
 * @param holders how many requests hold it; readers of one client may share a request
 * @param permits how many permits of a semaphore the holders have together; for other kinds the number of holders
 * @param fencingToken the first token of the holder, of the latest one if there are several, 0 without a holder; later
 *     tokens of the same request follow it closely
 * @param remaining how long until the leases and takeover delays of all holders have ended, unless they are renewed, or
 *     until a lock that is kept closed opens
 * @param waiting how many requests wait for it, an upper bound; a client may make one request for several waiters,
 *     unless they are {@link LockOptions.Fairness#FIFO FIFO}
 * @since 0.1.0
 */
public record LockSummary(
        LockKind kind,
        String name,
        State state,
        int holders,
        int permits,
        long fencingToken,
        Duration remaining,
        int waiting) {

    /** The state of a lock on the backend. A lock that is shared may be held and have room for others, too. */
    public enum State {
        /** No client has the lock. */
        FREE,
        /**
         * No client has the lock, but all or a part of it stays closed for a while: {@link LockOptions#withMinHold}.
         */
        KEPT,
        /** The lock was granted to waiting clients, none of which has confirmed it yet. */
        CLAIMED,
        /** A client holds the lock, or its lease has ended but the takeover delay has not. */
        HELD
    }

    /**
     * Returns a text such as {@code stock:1001 HELD, fencing token 1763…, 21300 ms left, 3 waiting}, or {@code uploads
     * SEMAPHORE HELD by 2 with 3 permits, …} for a lock of another kind.
     */
    @Override
    public String toString() {
        String shared = holders == 0 || kind == LockKind.LOCK ? "" : " by " + holders;
        return Printable.text(name)
                + (kind == LockKind.LOCK ? " " : " " + kind + " ")
                + state
                + shared
                + (permits == holders ? "" : " with " + permits + " permits")
                + (fencingToken == 0 ? "" : ", fencing token " + fencingToken)
                + (remaining.isZero() ? "" : ", " + Durations.text(remaining) + " left")
                + (waiting == 0 ? "" : ", " + waiting + " waiting");
    }
}
