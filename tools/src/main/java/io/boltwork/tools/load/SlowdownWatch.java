// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import java.time.Duration;

/** Notices that latencies have risen against the beginning. Not thread-safe. */
final class SlowdownWatch {
    private final int warmUp;
    private final int basis;
    private final int inARow;
    private final double factor;
    private int seen;
    private int slow;
    private Duration base = Duration.ZERO;

    /**
     * Creates a watch.
     *
     * @param warmUp how many measurements at the beginning do not count
     * @param basis of how many measurements after those the longest is the base
     * @param inARow how many measurements in a row must be too slow
     * @param factor a measurement is too slow if it is longer than this multiple of the base
     */
    SlowdownWatch(int warmUp, int basis, int inARow, double factor) {
        this.warmUp = warmUp;
        this.basis = basis;
        this.inARow = inARow;
        this.factor = factor;
    }

    /** Takes the median of the next period, and returns whether the load must stop. */
    boolean isTooSlow(Duration median) {
        seen++;
        if (seen <= warmUp) {
            return false;
        }
        if (seen <= warmUp + basis) {
            base = base.compareTo(median) > 0 ? base : median;
            return false;
        }
        slow = median.toNanos() > factor * base.toNanos() ? slow + 1 : 0;
        return slow >= inARow;
    }

    /** Returns the base. */
    Duration base() {
        return base;
    }
}
