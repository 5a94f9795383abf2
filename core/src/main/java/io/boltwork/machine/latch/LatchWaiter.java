// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.LockException;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;

/** One local caller that waits for a latch. The latch's machine decides it, once. */
public final class LatchWaiter {

    private static final long MICROS_PER_MILLI = 1_000;

    /** The outcome of a wait. */
    public sealed interface Result {}

    /** The end of a wait without a failure. */
    public enum Ended implements Result {
        /** The count has become zero. */
        OPEN,
        /** The caller's time has ended, or it has cancelled the wait. */
        GIVEN_UP
    }

    /** The wait has failed. */
    public record Failed(LockException cause) implements Result {}

    public final Promise<Result> outcome = new Promise<>();

    /** True if the caller does not wait: the first answer decides. */
    public final boolean once;

    /** The generation that it waits for; 0 while it is not known. Belongs to the machine, like all fields below. */
    public long generation;

    /** Questions before this one were asked before the wait began. */
    long firstQuestion;

    /** The server time of the answer that the latch is closed, in milliseconds; 0 if there was none. */
    long answeredAt;

    /** The time since which the server has not known the generation; {@link Ticker#NEVER} if it knows it. */
    long unknownSince = Ticker.NEVER;

    public LatchWaiter(boolean once) {
        this.once = once;
    }

    /** Returns whether the server has answered that the latch is closed. */
    boolean isAnswered() {
        return answeredAt > 0;
    }

    /** Returns whether the end of a generation ends the wait, and is no end from before the wait. */
    boolean isEndedBy(long ended) {
        return isAnswered() && (generation == 0 ? ended >= answeredAt * MICROS_PER_MILLI : ended == generation);
    }
}
