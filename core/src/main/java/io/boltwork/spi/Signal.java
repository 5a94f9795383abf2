// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Wakes waiters of a condition: those that have waited longest enter the queue of the lock.
 *
 * @param condition the name of the condition; empty for the lock's own
 * @param waiters how many waiters to wake; {@link #ALL} for all that wait
 * @since 0.1.0
 */
public record Signal(String condition, int waiters) {

    /** Wakes all waiters. */
    public static final int ALL = Integer.MAX_VALUE;

    /**
     * Returns a signal with the effect of this one and another one of the same condition.
     *
     * @param more how many more waiters to wake
     * @return the signal
     */
    public Signal and(int more) {
        return new Signal(condition, more > ALL - waiters ? ALL : waiters + more);
    }

    @Override
    public String toString() {
        return Printable.text("Signal[condition=" + condition + ", waiters=" + waiters + "]");
    }
}
