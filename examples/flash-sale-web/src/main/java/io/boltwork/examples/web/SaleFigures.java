// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a sale.
 *
 * @param sale the number of the sale
 * @param settings what was ordered
 * @param sold the number of buyers that got an item
 * @param tooMany how many of these got an item that was not there
 * @param late the number of buyers that came after the last item
 * @param busy the number of buyers that had to wait for too long
 * @param refused the number of late writes that the store has refused
 * @param noAnswer the number of buyers that got an error or no answer
 * @param disturbed whether something was broken or stopped meanwhile
 * @param seconds the time from the first request to the last sale
 * @param perSecond the items sold per second of that time; {@code null} before the first sale
 * @param ideal the rate that the work allows
 * @param waits the median, 95th and 99th percentile of the waits, in milliseconds; {@code null} before the first turn
 */
record SaleFigures(
        int sale,
        SaleSettings settings,
        int sold,
        int tooMany,
        int late,
        int busy,
        int refused,
        int noAnswer,
        boolean disturbed,
        double seconds,
        @Nullable Double perSecond,
        double ideal,
        long @Nullable [] waits) {

    private static final double[] PERCENTILES = {0.50, 0.95, 0.99};

    /** Returns the result in words. */
    String verdict() {
        String verdict = "Sold " + sold + " of " + settings.items();
        if (tooMany > 0) {
            return verdict + ": " + tooMany + " too many.";
        }
        return verdict + (sold == settings.items() ? ": not one too many." : ".");
    }

    /**
     * Returns the percentiles by the nearest rank: the smallest wait that is not shorter than that part of all waits.
     */
    static long @Nullable [] percentiles(long[] waits) {
        if (waits.length == 0) {
            return null;
        }
        long[] sorted = waits.clone();
        Arrays.sort(sorted);
        return Arrays.stream(PERCENTILES)
                .mapToLong(part -> sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)])
                .toArray();
    }
}
