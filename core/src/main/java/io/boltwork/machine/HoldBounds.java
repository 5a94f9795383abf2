package io.boltwork.machine;

/** The times that the options set for a hold: the client's, in nanoseconds; {@link Ticker#NEVER} for none. */
final class HoldBounds {

    /** For options that set no times; it is never changed. */
    private static final HoldBounds NONE = new HoldBounds();

    /** The time when the hold ends at the latest. */
    long maxEnd = Ticker.NEVER;

    /** Until when the lock stays taken, even if it is released. */
    long minEnd = Ticker.NEVER;

    /** Until when the lock stays closed after a loss, though it is being released. */
    long quietEnd = Ticker.NEVER;

    /** The time when a fixed lease ends for this client. */
    long fixedEnd = Ticker.NEVER;

    private HoldBounds() {}

    static HoldBounds of(LockTerms terms) {
        boolean bounded = !terms.isRenewed
                || terms.maxHoldNanos != Ticker.NEVER
                || terms.minHoldNanos > 0
                || terms.takeoverMillis > 0;
        return bounded ? new HoldBounds() : NONE;
    }

    boolean isNone() {
        return this == NONE;
    }
}
