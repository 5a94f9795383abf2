// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The clock of an ensemble's leader, as far as a client knows it: an interval in which the leader's time lay when an
 * answer came. From then on the interval grows by 1 % of the time that passes at both ends, because clocks run at
 * different rates. Intervals of several answers are intersected.
 *
 * <p>Each leader has an epoch. Another epoch is another clock; the old one goes on in the minds of the clients that
 * still count by it, and stays right. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaderClock {
    private static final long MICROS = 1_000;
    private static final long SECOND = 1_000_000;
    private static final long DRIFT_PART = 100;

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

        boolean isSameClock(Interval other) {
            return store.equals(other.store) && epoch == other.epoch;
        }

        /** Returns what two intervals have in common at the later one's moment; {@code null} if that is nothing. */
        @Nullable
        Interval common(Interval other) {
            if (nanos < other.nanos) {
                return other.common(this);
            }
            Interval before = other.at(nanos);
            long from = Math.max(earliest, before.earliest);
            long to = Math.min(latest, before.latest);
            return from <= to ? new Interval(store, epoch, nanos, from, to) : null;
        }
    }

    /** Creates a clock that is not known yet. */
    public LeaderClock() {}

    /**
     * Learns the leader's time from an answer. The time lay between the two bounds at some moment between the sending
     * of the request and the answer.
     *
     * @param store identifies the data of the ensemble
     * @param epoch the epoch of the leader; an answer of an earlier one is ignored
     * @param from the lower bound, in microseconds since the epoch of computers
     * @param to the upper bound
     * @param sent when the request was sent, by {@link System#nanoTime}
     * @param answered when its answer had come
     * @return {@code false} if the leader's clock has gone back: it shows less than what was known of it
     */
    public boolean learn(String store, long epoch, long from, long to, long sent, long answered) {
        long passed = (answered - sent) / MICROS;
        Interval read = new Interval(store, epoch, answered, from, to + passed + passed / DRIFT_PART + 1);
        Interval found = known.getAndAccumulate(read, (before, now) -> {
            if (before == null || now == null || !before.store.equals(now.store) || before.epoch < now.epoch) {
                return now;
            }
            if (before.epoch > now.epoch) {
                return before; // an answer that was late
            }
            Interval common = before.common(now);
            return common != null ? common : before.nanos > now.nanos ? before : now;
        });
        return found == null
                || !found.isSameClock(read)
                || found.at(Math.max(found.nanos, answered)).earliest <= read.at(found.nanos).latest;
    }

    /**
     * Returns the time now.
     *
     * @param tolerance the widest interval that will do
     * @return the time; empty if it is not known so exactly
     */
    public Optional<StoreClock> read(Duration tolerance) {
        Interval last = known.get();
        Interval now = last == null ? null : last.at(System.nanoTime());
        long micros = TimeUnit.NANOSECONDS.toMicros(tolerance.toNanos());
        return now == null || now.width() > micros
                ? Optional.empty()
                : Optional.of(new StoreClock(now.store + "." + Long.toHexString(now.epoch), now.earliest, micros));
    }

    /**
     * Returns the epoch of the leader whose time is known.
     *
     * @return the epoch; 0 if no time is known
     */
    public long epoch() {
        Interval last = known.get();
        return last == null ? 0 : last.epoch;
    }

    /**
     * Returns the time until the leader's clock shows the next whole second, as far as it is known: the middle of the
     * interval does then.
     *
     * @return the time; a second if nothing is known
     */
    public Duration untilNextSecond() {
        Interval last = known.get();
        Interval now = last == null ? null : last.at(System.nanoTime());
        long micros = now == null ? 0 : Math.floorMod(now.earliest + now.width() / 2, SECOND);
        return Duration.ofNanos((SECOND - micros) * MICROS);
    }

    /** Forgets the time, so that the next answer tells it. */
    public void forget() {
        known.set(null);
    }
}
