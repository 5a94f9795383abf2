package io.boltwork;

import java.time.Duration;

/**
 * Where a lock must be known before it counts as acquired: {@link LockOptions#withReplication}. Immutable.
 *
 * <!-- snippet: ClassExamples.java#Replication -->
 * <pre>{@code
 * FencedLock payout = locks.lock(
 *         "payout", LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofMillis(200))));
 * }</pre>
 *
 * <p>Redis replicates asynchronously: a master may answer that a lock is held, and fail before any replica has heard of it.
 * Whoever asks then may be granted the same lock by the new master. With {@code atLeast} that takes the promotion of a replica
 * that had not confirmed it. Where all replicas are asked for, there is none; where some are, sentinels prefer the one that
 * knows most, but need not find it. It is no consensus: where two holders must not both act, check the fencing token.
 *
 * <p>A single server that is started again without its last second of writes forgets holds in the same way. {@link #onDisk}
 * is for that.
 *
 * @param replicas how many replicas; 0 with {@code onDisk}
 * @param onDisk whether the server's own disk must have it
 * @param within how long to wait for that
 */
public record Replication(int replicas, boolean onDisk, Duration within) {

    private static final int MOST = 100;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /**
     * Like {@link #atLeast} or {@link #onDisk}.
     *
     * @param replicas how many, 1 to 100; 0 with {@code onDisk}
     * @param onDisk whether the server's own disk must have it
     * @param within how long to wait for that, 1 ms to a minute; milliseconds count
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public Replication {
        if (onDisk && replicas != 0) {
            throw new IllegalArgumentException("replicas must be 0 with onDisk, but is " + replicas);
        }
        if (!onDisk && (replicas < 1 || replicas > MOST)) {
            throw new IllegalArgumentException("replicas must be 1 to " + MOST + ", but is " + replicas);
        }
        Durations.between("within", within, SHORTEST, LONGEST);
    }

    /**
     * The lock counts as acquired when so many replicas have confirmed that they know of it. If there are not enough in time, it
     * is given back, and whoever wanted it gets a {@link BackendException} that names the count, whether he waits or tries. Costs
     * two round trips more per acquisition, and what the replicas take; such a lock is never passed on in memory. Renewals and
     * releases do not wait for replicas.
     *
     * @param replicas how many, 1 to 100
     * @param within how long to wait for them, 1 ms to a minute, and shorter than the backend's command timeout; milliseconds
     *     count
     * @return that replication
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public static Replication atLeast(int replicas, Duration within) {
        return new Replication(replicas, false, within);
    }

    /**
     * The lock counts as acquired when the server has confirmed that its own append-only file has it on disk, so that a server
     * that loses its power knows of the hold when it is back. If that takes too long, the lock is given back, and the caller gets
     * a {@link BackendException}, whether it waits or tries. Costs two round trips more per acquisition, and what the disk takes:
     * with {@code appendfsync everysec} up to a second. Such a lock is never passed on in memory. Renewals and releases do not
     * wait for the disk.
     *
     * <p>Redis 7.2 or later and Valkey can tell, with {@code appendonly yes}. Where the server cannot, each acquisition fails
     * with a {@link BackendException} that is not retryable.
     *
     * @param within how long to wait for the disk, 1 ms to a minute, and shorter than the backend's command timeout; milliseconds
     *     count
     * @return that replication
     * @throws IllegalArgumentException if it is out of its range
     */
    public static Replication onDisk(Duration within) {
        return new Replication(0, true, within);
    }

    @Override
    public String toString() {
        if (onDisk) {
            return "on disk within " + Durations.text(within);
        }
        return "at least " + replicas + (replicas == 1 ? " replica" : " replicas") + " within "
                + Durations.text(within);
    }
}
