// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/** The times that the options set for a hold, by the client's clock in nanoseconds; {@link Ticker#NEVER} for none. */
public final class HoldBounds {

    /** The bounds for options that set no times; never changed. */
    private static final HoldBounds NONE = new HoldBounds();

    /** The latest time at which the hold ends. */
    public long maxEnd = Ticker.NEVER;

    /** The time until which the lock stays taken, even if it is released. */
    long minEnd = Ticker.NEVER;

    /** The time until which the lock stays closed after a loss, although it is being released. */
    long quietEnd = Ticker.NEVER;

    /** The time at which a fixed lease ends for this client. */
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
