// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.time.Duration;
import java.util.Arrays;

/**
 * The durations of something that was done many times.
 *
 * @param what what was measured
 * @param server the address of the server, or of the store
 * @param times how often
 * @param median half of the times were shorter
 * @param p99 99 % of the times were shorter
 */
record Timing(String what, String server, int times, Duration median, Duration p99) {

    static Timing of(String what, String server, long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Timing(what, server, sorted.length, at(sorted, 0.5), at(sorted, 0.99));
    }

    private static Duration at(long[] sorted, double part) {
        return Duration.ofNanos(sorted[Math.min(sorted.length - 1, (int) (sorted.length * part))]);
    }

    @Override
    public String toString() {
        return what + ": " + median + " (median), " + p99 + " (p99)";
    }
}
