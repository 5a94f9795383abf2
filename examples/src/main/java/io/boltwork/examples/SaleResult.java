// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.examples.Visit.End;
import java.util.List;

/**
 * The result of a sale.
 *
 * @param mode how buyers excluded each other
 * @param stock the number of items
 * @param visits the visits of all buyers
 * @param tokens the fencing tokens of all turns, in the order of the turns
 */
record SaleResult(SaleMode mode, int stock, List<Visit> visits, List<Long> tokens) {

    int buyers() {
        return visits.size();
    }

    long served() {
        return visits.stream().filter(Visit::served).count();
    }

    long turnedAway() {
        return buyers() - served();
    }

    long sold() {
        return visits.stream().filter(visit -> visit.end() == End.SOLD).count();
    }

    long oversold() {
        return Math.max(0, sold() - stock);
    }

    /** Returns the time from the start of the sale to the end of the last turn. */
    double servedPerSecond() {
        long last = visits.stream()
                .filter(Visit::served)
                .mapToLong(Visit::left)
                .max()
                .orElse(0);
        return last == 0 ? 0 : served() * 1e9 / last;
    }

    double meanWorkMillis() {
        return visits.stream()
                        .filter(Visit::served)
                        .mapToLong(Visit::worked)
                        .average()
                        .orElse(0)
                / 1e6;
    }

    /** Returns the rate of one buyer at a time if taking turns took no time. */
    double allowedPerSecond() {
        double work = meanWorkMillis();
        return work == 0 ? 0 : 1_000 / work;
    }

    /** Returns how long the served buyers had waited for their turn. */
    double waitedSeconds(double quantile) {
        long[] waits = visits.stream()
                .filter(Visit::served)
                .mapToLong(Visit::waited)
                .sorted()
                .toArray();
        if (waits.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(quantile * waits.length);
        return waits[Math.max(rank, 1) - 1] / 1e9;
    }

    /** Returns whether every turn had a token that was larger than that of the previous turn. */
    boolean tokensGrew() {
        long last = 0;
        for (long token : tokens) {
            if (token <= last) {
                return false;
            }
            last = token;
        }
        return tokens.size() == served();
    }

    String verdict() {
        return "Sold " + sold() + " of " + stock + ": "
                + (oversold() > 0 ? oversold() + " too many." : "not one too many.");
    }
}
