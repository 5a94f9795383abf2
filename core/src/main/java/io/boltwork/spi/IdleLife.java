package io.boltwork.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a backend keeps the record of a lock that nobody uses. The record of a lock in use is never dropped: its expiry is
 * set anew by each acquisition, renewal and restore that finds less than 7/8 of the life left beyond the lease, and never to an
 * earlier time, so that clients with different settings may share a lock.
 */
public final class IdleLife {

    /** The default, 10 minutes. */
    public static final Duration DEFAULT = Duration.ofMinutes(10);

    /** The shortest, 1 minute. */
    public static final Duration SHORTEST = Duration.ofMinutes(1);

    /** The longest, 7 days. */
    public static final Duration LONGEST = Duration.ofDays(7);

    /**
     * For so much longer than the lease that it ended, a forced release keeps the record at least, in milliseconds: a day. It
     * is not known how long the lease of a holder is that the server has forgotten.
     */
    public static final long FORCED_MILLIS = Duration.ofDays(1).toMillis();

    private IdleLife() {}

    /**
     * Checks an idle life.
     *
     * @param idleLife how long
     * @return the same in milliseconds
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
     * Whether a record's expiry has to be set anew.
     *
     * @param leftMillis how long the record would live after the lease, which is negative if it would not live so long
     * @param lifeMillis how long it is to live
     * @return whether less than 7/8 of the life is left
     */
    public static boolean isDue(long leftMillis, long lifeMillis) {
        return leftMillis * 8 < lifeMillis * 7;
    }
}
