// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The use of a lock by one client, since it began to count. Another lock may take the place of one that is used
 * little. If that one comes back, its numbers begin at 0 again.
 *
 * @param kind the kind of the lock
 * @param lock the name of the lock
 * @param turns how many turns of owners have ended
 * @param waiting how many callers wait now
 * @param waitedMicros how long callers have waited in all, in microseconds, also those that did not get the lock
 * @param heldMicros how long owners have held the lock in all, in microseconds
 * @since 0.1.0
 */
public record LockUsage(LockKind kind, String lock, long turns, int waiting, long waitedMicros, long heldMicros) {

    /**
     * Returns about how many bytes this takes in a record.
     *
     * @return the length of the name in UTF-8, and of the numbers
     */
    public int size() {
        String numbers = kind + " " + turns + " " + waiting + " " + waitedMicros + " " + heldMicros + " ";
        return numbers.length() + Utf8.length("lock", lock);
    }

    @Override
    public String toString() {
        return Printable.text("LockUsage[kind=" + kind + ", lock=" + lock + ", turns=" + turns + ", waiting=" + waiting
                + ", waitedMicros=" + waitedMicros + ", heldMicros=" + heldMicros + "]");
    }
}
