// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.entrant;

/**
 * The cost of a measurement.
 *
 * @param server the counters of the servers
 * @param foreign the average number of processors that other processes kept busy; NaN if unknown
 */
public record Usage(ServerCounters server, double foreign) {
    /** The share of a processor above which other processes disturb a measurement. */
    private static final double TOO_MUCH = 0.10;

    boolean disturbed() {
        return foreign > TOO_MUCH;
    }
}
