// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import java.util.concurrent.TimeUnit;

/**
 * The arithmetic of leases: how much of a lease counts in the client, and for how long a command may take effect.
 * Durations are in nanoseconds, unless their names say {@code Millis}.
 */
public final class LeaseTimes {

    public static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** One part in this many is subtracted from a lease because clocks run at different rates. */
    private static final int DRIFT_PART = 100;

    /** The time that is subtracted from a lease because the server counts in whole milliseconds. */
    private static final long ROUNDING = 2 * MILLI;

    private LeaseTimes() {}

    /**
     * Returns how much of a lease counts in the client. The drift is calculated over the lease and the time that
     * elapsed before it began.
     */
    public static long safe(long leaseMillis, long elapsed) {
        long nanos = leaseMillis * MILLI;
        return nanos - (nanos + Math.max(0, elapsed)) / DRIFT_PART - ROUNDING;
    }

    /** Returns a lease, in milliseconds, just long enough for that much of it to count in the client. */
    public static long covering(long nanos) {
        long least = nanos + ROUNDING;
        return (least + least / (DRIFT_PART - 1)) / MILLI + 1;
    }

    /** Returns for how many milliseconds after its sending a command may still take effect. */
    public static long effectMillis(long commandTimeout, long leaseMillis) {
        return Math.min(commandTimeout / MILLI, leaseMillis);
    }

    /** Returns the server time after which a command that is sent now must not take effect. */
    public static long notAfter(ServerClock clock, long now, long effectMillis) {
        return clock.millisAt(now) + effectMillis;
    }

    /** Returns the milliseconds until {@code end}; 0 if it has passed or is {@link Ticker#NEVER}. */
    static long millisUntil(long end, long now) {
        return end == Ticker.NEVER || end <= now
                ? 0
                : (end - now) / MILLI + 2; // the server truncates times to whole milliseconds
    }

    /** Returns the time after which an unanswered renewal is sent again. */
    public static long renewalPatience(long leaseNanos, long commandTimeout) {
        return Math.min(commandTimeout, leaseNanos / 9);
    }
}
