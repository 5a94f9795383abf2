// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.store.StoreClock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the ensemble's leader, as far as this client knows it. The leader writes its time into the status of a
 * node when it executes a write, at some moment between sending and answer. From then on the interval grows by 1 % of
 * the time that passes at both ends, because clocks run at different rates. Intervals of several writes are
 * intersected.
 *
 * <p>Each leader has an epoch, the upper half of the transaction numbers. Another epoch is another clock; this one's
 * goes on in the minds of the clients that still count by it, and stays right. Thread-safe.
 */
final class LeaderClock {
    private static final long MICROS = 1_000;
    private static final long DRIFT_PART = 100;
    private static final int EPOCH_SHIFT = 32;

    private final long toleranceMicros;
    private final AtomicReference<@Nullable Interval> known = new AtomicReference<>();

    /** An interval in which the time lay at a moment of this client, in nanoseconds; the rest in microseconds. */
    private record Interval(String store, long epoch, long nanos, long earliest, long latest) {

        Interval at(long now) {
            long passed = Math.max(0, now - nanos) / MICROS;
            long drift = passed / DRIFT_PART + 1;
            return new Interval(store, epoch, now, earliest + passed - drift, latest + passed + drift);
        }

        long width() {
            return latest - earliest;
        }

        /** Returns what two intervals of one moment have in common; this one if that is nothing. */
        Interval and(Interval other) {
            long from = Math.max(earliest, other.earliest);
            long to = Math.min(latest, other.latest);
            return from <= to ? new Interval(store, epoch, nanos, from, to) : this;
        }
    }

    LeaderClock(long toleranceMicros) {
        this.toleranceMicros = toleranceMicros;
    }

    /**
     * Records the time that was given to a write.
     *
     * @param store identifies the data of the ensemble
     * @param transaction the number of the transaction
     * @param millis the leader's time, rounded down
     * @param sent when the write was sent
     * @param answered when its answer had come
     */
    void wrote(String store, long transaction, long millis, long sent, long answered) {
        long passed = (answered - sent) / MICROS;
        long latest = (millis + 1) * MICROS + passed + passed / DRIFT_PART + 1;
        Interval read = new Interval(store, transaction >>> EPOCH_SHIFT, answered, millis * MICROS, latest);
        known.accumulateAndGet(read, (before, now) -> {
            if (before == null || now == null || !before.store.equals(now.store) || before.epoch < now.epoch) {
                return now;
            }
            if (before.epoch > now.epoch) {
                return before; // an answer that was late
            }
            return before.nanos > now.nanos ? before.and(now.at(before.nanos)) : now.and(before.at(now.nanos));
        });
    }

    /** Returns the time now; empty if it is not known exactly enough. */
    Optional<StoreClock> read() {
        Interval last = known.get();
        Interval now = last == null ? null : last.at(System.nanoTime());
        return now == null || now.width() > toleranceMicros
                ? Optional.empty()
                : Optional.of(
                        new StoreClock(now.store + "." + Long.toHexString(now.epoch), now.earliest, toleranceMicros));
    }

    /** Forgets the time, so that the next write tells it. */
    void forget() {
        known.set(null);
    }
}
