// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import java.time.Duration;

/**
 * Defines which copies of a hold are required before the lock counts as acquired: {@link LockOptions#withReplication}.
 * Immutable.
 *
 * <!-- snippet: ClassExamples.java#Replication -->
 * <pre>{@code
 * FencedLock payout = locks.lock(
 *         "payout", LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofMillis(200))));
 * }</pre>
 *
 * <p>Redis replicates asynchronously: a master may reply that a lock is held, and fail before any replica has received
 * the hold. The new master may then grant the same lock to another owner. With {@code atLeast}, this can happen only if
 * a replica that had not confirmed the hold is promoted. If all replicas must confirm, there is no such replica. If
 * only some must, sentinels prefer the replica that has received the most data, but they may promote another one.
 * Replication is not consensus: if two holders must never both act, check the fencing token.
 *
 * <p>A single server that restarts without its last second of writes forgets holds in the same way. Use {@link #onDisk}
 * against that.
 *
 * @param replicas the number of replicas; 0 with {@code onDisk}
 * @param onDisk whether the hold must be on the server's own disk
 * @param within how long to wait for the confirmations
 * @since 0.1.0
 */
public record Replication(int replicas, boolean onDisk, Duration within) {

    private static final int MOST = 100;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /**
     * Creates a requirement, like {@link #atLeast} or {@link #onDisk}.
     *
     * @param replicas the number of replicas, 1 to 100; 0 with {@code onDisk}
     * @param onDisk whether the hold must be on the server's own disk
     * @param within how long to wait for the confirmations, 1 ms to 1 minute; fractions of a millisecond are ignored
     * @throws IllegalArgumentException if a value is out of its range
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
     * Requires that a number of replicas have confirmed the hold before the lock counts as acquired. If too few confirm
     * it in time, the lock is given back, and the caller gets a {@link BackendException} that states the count, whether
     * it waits or tries. Each acquisition costs two more round trips and the time that the replicas take. Such a lock
     * is never handed over in memory. Renewals and releases do not wait for replicas.
     *
     * @param replicas the number of replicas, 1 to 100
     * @param within how long to wait for them, 1 ms to 1 minute, and shorter than the backend's command timeout;
     *     fractions of a millisecond are ignored
     * @return that requirement
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static Replication atLeast(int replicas, Duration within) {
        return new Replication(replicas, false, within);
    }

    /**
     * Requires that the server has confirmed that its append-only file has the hold on disk before the lock counts as
     * acquired. A server that loses power then still knows the hold when it is back. If the confirmation takes too
     * long, the lock is given back, and the caller gets a {@link BackendException}, whether it waits or tries. Each
     * acquisition costs two more round trips and the time that the disk takes: up to one second with
     * {@code appendfsync everysec}. Such a lock is never handed over in memory. Renewals and releases do not wait for
     * the disk.
     *
     * <p>Redis 7.2 and later and Valkey support this, with {@code appendonly yes}. If the server does not support it,
     * each acquisition fails with a {@link BackendException} that is not retryable.
     *
     * @param within how long to wait for the disk, 1 ms to 1 minute, and shorter than the backend's command timeout;
     *     fractions of a millisecond are ignored
     * @return that requirement
     * @throws IllegalArgumentException if the value is out of its range
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
