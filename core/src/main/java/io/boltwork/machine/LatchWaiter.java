package io.boltwork.machine;

import io.boltwork.LockException;

/** One local caller that waits for a latch. The latch's machine decides it, once. */
public final class LatchWaiter {

    private static final long MICROS_PER_MILLI = 1_000;

    /** How a wait ended. */
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
    final boolean once;

    /** The generation that it waits for; 0 while it is not known. Belongs to the machine, like all fields below. */
    long generation;

    /** Questions before this one were asked before the wait began. */
    long firstQuestion;

    /** When the server answered that the latch is closed, in milliseconds of its clock; 0 if it has not. */
    long answeredAt;

    /** When the server did not know the generation any more, for the first time; {@link Ticker#NEVER} if it does. */
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
