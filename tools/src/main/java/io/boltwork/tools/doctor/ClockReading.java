// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

/**
 * The time that a server has reported.
 *
 * @param nanos the moment by this machine's monotonic clock
 * @param seconds the server's time, in seconds since the epoch
 * @param ahead by how many seconds the server's clock is ahead of this machine's
 * @param error by how many seconds this may be wrong
 */
record ClockReading(long nanos, double seconds, double ahead, double error) {

    /**
     * Returns how much faster than this machine's monotonic clock the server's runs: 0.01 for 1 %. 0 if that is not
     * known.
     */
    double drift(ClockReading later) {
        double passed = (later.nanos - nanos) / 1e9;
        double drift = (later.seconds - seconds) / passed - 1;
        double uncertain = (error + later.error) / passed;
        return Math.abs(drift) > uncertain ? drift : 0;
    }

    @Override
    public String toString() {
        return String.format(java.util.Locale.ROOT, "%+.3f s (within %.3f s)", ahead, error);
    }
}
