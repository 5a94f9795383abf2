// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * The time for which a backend keeps the record of a lock that is not in use. The record of a lock in use is never
 * dropped: each acquisition, renewal and restore sets its expiry again if less than 7/8 of the idle life is left beyond
 * the lease. The expiry never moves to an earlier time, so clients with different settings may share a lock.
 *
 * @since 0.1.0
 */
public final class IdleLife {

    /** The default, 10 minutes. */
    public static final Duration DEFAULT = Duration.ofMinutes(10);

    /** The shortest, 1 minute. */
    public static final Duration SHORTEST = Duration.ofMinutes(1);

    /** The longest, 7 days. */
    public static final Duration LONGEST = Duration.ofDays(7);

    /**
     * The least time in milliseconds for which a forced release keeps the record beyond the end of the lease that it
     * took away: one day. The margin is needed because the server may have forgotten a holder, and the length of that
     * holder's lease is unknown.
     */
    public static final long FORCED_MILLIS = Duration.ofDays(1).toMillis();

    /** The least time in milliseconds for which a record lives after its last use if its capacity was set: 30 days. */
    public static final long SET_MILLIS = Duration.ofDays(30).toMillis();

    /** The time in milliseconds for which the record of a latch lives after its last use: one day. */
    public static final long LATCH_MILLIS = Duration.ofDays(1).toMillis();

    private IdleLife() {}

    /**
     * Checks an idle life.
     *
     * @param idleLife the idle life
     * @return the idle life in milliseconds
     * @throws IllegalArgumentException if it is not between 1 minute and 7 days
     */
    public static long millis(Duration idleLife) {
        Objects.requireNonNull(idleLife, "idleLife");
        if (idleLife.compareTo(SHORTEST) < 0 || idleLife.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("idleLife must be between 1 min and 7 days, but is " + idleLife);
        }
        return idleLife.toMillis();
    }

    /**
     * Returns whether the expiry of a record must be set again.
     *
     * @param leftMillis how long the record would live beyond the end of the lease; negative if it would expire before
     * @param lifeMillis how long it must live beyond the end of the lease
     * @return whether less than 7/8 of that life is left
     */
    public static boolean isDue(long leftMillis, long lifeMillis) {
        return leftMillis * 8 < lifeMillis * 7;
    }
}
