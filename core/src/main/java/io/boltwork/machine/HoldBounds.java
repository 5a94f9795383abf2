package io.boltwork.machine;

/** Times that a hold keeps because of its options: the client's, in nanoseconds, {@link Ticker#NEVER} for none. */
final class HoldBounds {

    /** Of options that set none; never changed. */
    private static final HoldBounds NONE = new HoldBounds();

    /** When the hold has lasted its longest time. */
    long maxEnd = Ticker.NEVER;

    /** Until when the lock stays taken in any case. */
    long minEnd = Ticker.NEVER;

    /** Until when nobody else may have the lock, though it is being released. */
    long quietEnd = Ticker.NEVER;

    /** When a fixed lease ends here. */
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
