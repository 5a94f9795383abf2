// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import io.boltwork.spi.ServerTime;

/**
 * The clock of a store, as it was read. If a store cannot tell its time exactly, it gives an interval in which the time
 * lies.
 *
 * <p>Clients are told the earliest time, and rules apply at it: no lease ends early. In return, each lease that a
 * client asks for closes its lock for longer, by the width of the interval; see {@code ClockMargin}.
 *
 * @param run identifies the store, and changes when the store may have lost data or has got another clock
 * @param micros the earliest time that it may be, in microseconds since the epoch
 * @param uncertainMicros how much later it may be at most, in microseconds; 0 if the time is exact. One client's store
 *     gives the same width each time, because the client subtracts times of different answers
 * @since 0.1.0
 */
public record StoreClock(String run, long micros, long uncertainMicros) {
    private static final long MICROS = 1_000;

    /**
     * A clock that tells the exact time.
     *
     * @param run identifies the store
     * @param micros the time, in microseconds since the epoch
     */
    public StoreClock(String run, long micros) {
        this(run, micros, 0);
    }

    /**
     * Returns the earliest time that it may be.
     *
     * @return the time, in milliseconds, rounded down
     */
    public ServerTime earliest() {
        return new ServerTime(Math.floorDiv(micros, MICROS), run);
    }

    /** Returns the latest time that it may be, for reports: leases end for their holders by then. */
    StoreClock latest() {
        return uncertainMicros == 0 ? this : new StoreClock(run, micros + uncertainMillis() * MICROS);
    }

    /**
     * Returns how much later than {@link #earliest} it may be.
     *
     * @return the difference in milliseconds, rounded up; 0 if the time is exact
     */
    public long uncertainMillis() {
        return uncertainMicros == 0 ? 0 : Math.floorDiv(uncertainMicros, MICROS) + 2;
    }

    @Override
    public String toString() {
        return Printable.text(
                "StoreClock[run=" + run + ", micros=" + micros + ", uncertainMicros=" + uncertainMicros + "]");
    }
}
