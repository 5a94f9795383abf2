// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts durations in buckets, each 5 % wider than the one before. Thread-safe. */
final class LatencyHistogram {
    private static final double FIRST_NANOS = 1_000;
    private static final double GROWTH = Math.log(1.05);
    /** The last bucket begins beyond a minute. */
    private static final int BUCKETS = 400;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

    void add(long nanos) {
        counts.incrementAndGet(bucket(nanos));
    }

    private static int bucket(long nanos) {
        return nanos <= FIRST_NANOS ? 0 : (int) Math.min(BUCKETS - 1, Math.log(nanos / FIRST_NANOS) / GROWTH + 1);
    }

    private static long end(int bucket) {
        return (long) (FIRST_NANOS * Math.exp(bucket * GROWTH));
    }

    long total() {
        long total = 0;
        for (int i = 0; i < BUCKETS; i++) {
            total += counts.get(i);
        }
        return total;
    }

    /** Returns the duration that a part of all are not longer than, 5 % too long at most. 0 if there are none. */
    Duration percentile(double part) {
        long total = total();
        long rank = Math.max(1, (long) Math.ceil(total * part));
        long seen = 0;
        for (int i = 0; total > 0 && i < BUCKETS; i++) {
            seen += counts.get(i);
            if (seen >= rank) {
                return Duration.ofNanos(end(i));
            }
        }
        return Duration.ZERO;
    }

    /** Returns how many are longer than one duration, and not longer than another, by the bounds of buckets. */
    long between(Duration longerThan, Duration atMost) {
        long found = 0;
        for (int i = bucket(longerThan.toNanos()) + 1; i <= bucket(atMost.toNanos()); i++) {
            found += counts.get(i);
        }
        return found;
    }
}
