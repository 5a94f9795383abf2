// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.time.Duration;

/**
 * Judges how long commands take.
 *
 * @param limit the median from which on the user is warned
 */
record Latencies(Duration limit) {
    /** A quarter of the command timeout of 2 s. */
    private static final Duration SEVERE = Duration.ofMillis(500);

    /** Records a timing, and adds a finding if the timing is too long. */
    void check(Diagnosis diagnosis, Timing timing) {
        diagnosis.timing(timing);
        if (timing.median().compareTo(limit) <= 0) {
            return;
        }
        String problem = timing.what() + " takes " + Diagnosis.millis(timing.median()) + " (median), "
                + Diagnosis.millis(timing.p99()) + " (99th percentile)";
        String meaning = "each lock() and unlock() of a client that does not hold the lock takes at least that long";
        String remedy = "run the application near the server, and look for slow scripts and commands with SLOWLOG GET";
        if (timing.median().compareTo(SEVERE) > 0) {
            diagnosis.severe("latency", timing.server(), problem, meaning + "; commands may time out", remedy);
        } else {
            diagnosis.warning("latency", timing.server(), problem, meaning, remedy);
        }
    }

    @Override
    public String toString() {
        return limit.toString();
    }
}
