// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Duration;

/**
 * The use of a lock by one client, as {@link ClientInfo#busiest} reports it. The numbers only grow, so the
 * difference of two looks shows what happened in between. They are of one client: add up those of all clients. A
 * client that stops counting a lock, because it uses others more, begins at 0 when it counts that lock again. A
 * number that is smaller than before has begun anew.
 *
 * @param kind the kind of the lock
 * @param name the name of the lock
 * @param turns how many turns of owners have ended. A reader, a writer and the holder of permits have a turn each.
 *     Turns that the client has handed over in memory count, although the backend does not learn of them
 * @param waiting how many callers of the client wait now
 * @param waited how long callers have waited in all, from the call to its outcome, whether or not they got the lock.
 *     Those that wait now are not included
 * @param held how long owners have held the lock in all. Owners that hold it at the same time add up
 * @since 0.1.0
 */
public record BusyLock(LockKind kind, String name, long turns, int waiting, Duration waited, Duration held) {

    /** Returns a text such as {@code LOCK stock:1001: 512 turns, 3 waiting, waited PT4S, held PT1.5S}. */
    @Override
    public String toString() {
        return Printable.text(kind + " " + name + ": " + turns + " turns, " + waiting + " waiting, waited " + waited
                + ", held " + held);
    }
}
