// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.util.Arrays;
import java.util.Collection;

/** Statistics over figures. Stateless. */
public final class Statistics {
    private Statistics() {}

    /** Returns the median: the middle value, or the mean of the two middle values. NaN without values. */
    public static double median(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        if (n == 0) {
            return Double.NaN;
        }
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    /**
     * Returns Jain's fairness index: 1 if all threads had the same number of turns, 1/n if one of them had all turns.
     * NaN without turns.
     */
    public static double jain(long... turns) {
        double sum = Arrays.stream(turns).asDoubleStream().sum();
        double squares =
                Arrays.stream(turns).asDoubleStream().map(turn -> turn * turn).sum();
        return squares == 0 ? Double.NaN : sum * sum / (turns.length * squares);
    }
}
