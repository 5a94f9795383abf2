// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import java.util.concurrent.TimeUnit;

/**
 * The arithmetic of leases: how much of a lease counts in the client, and for how long a command may take effect.
 * Durations are in nanoseconds, unless their names say {@code Millis}.
 *
 * @since 0.1.0
 */
public final class LeaseTimes {

    /** A millisecond in nanoseconds. */
    public static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** One part in this many is subtracted from a lease because clocks run at different rates. */
    private static final int DRIFT_PART = 100;

    /** The time that is subtracted from a lease because the server counts in whole milliseconds. */
    private static final long ROUNDING = 2 * MILLI;

    private LeaseTimes() {}

    /**
     * Returns how much of a lease counts in the client. The drift is calculated over the lease and the time that
     * elapsed before it began.
     *
     * @param leaseMillis the lease that the server was asked for
     * @param elapsed the time between the beginning of the lease and the answer; a negative one counts as 0
     * @return how much of it counts
     */
    public static long safe(long leaseMillis, long elapsed) {
        long nanos = leaseMillis * MILLI;
        return nanos - (nanos + Math.max(0, elapsed)) / DRIFT_PART - ROUNDING;
    }

    /**
     * Returns a lease just long enough for that much of it to count in the client.
     *
     * @param nanos how much of it must count
     * @return the lease in milliseconds
     */
    public static long covering(long nanos) {
        long least = nanos + ROUNDING;
        return (least + least / (DRIFT_PART - 1)) / MILLI + 1;
    }

    /**
     * Returns for how long after its sending a command may still take effect.
     *
     * @param commandTimeout the time after which an unanswered command counts as failed
     * @param leaseMillis the lease that the command asks for
     * @return the milliseconds
     */
    public static long effectMillis(long commandTimeout, long leaseMillis) {
        return Math.min(commandTimeout / MILLI, leaseMillis);
    }

    /**
     * Returns the server time after which a command that is sent now must not take effect.
     *
     * @param clock the server's clock
     * @param now the client's monotonic clock
     * @param effectMillis for how long the command may take effect
     * @return milliseconds since the epoch
     */
    public static long notAfter(ServerClock clock, long now, long effectMillis) {
        return clock.millisAt(now) + effectMillis;
    }

    /**
     * Returns the time after which an unanswered renewal is sent again.
     *
     * @param leaseNanos the lease that is renewed
     * @param commandTimeout the time after which an unanswered command counts as failed
     * @return the time between the two commands
     */
    public static long renewalPatience(long leaseNanos, long commandTimeout) {
        return Math.min(commandTimeout, leaseNanos / 9);
    }
}
