// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

/**
 * The outcome of a buyer's visit. All times are in nanoseconds.
 *
 * @param end how the visit ended
 * @param waited the time from the buyer's arrival to the turn, or to giving up
 * @param worked the duration of the turn
 * @param left the end of the turn, from the start of the sale
 */
record Visit(End end, long waited, long worked, long left) {

    /** The ways in which a visit can end. */
    enum End {
        /** The buyer got an item. */
        SOLD,
        /** The buyer got a turn, but the item was sold out. */
        SOLD_OUT,
        /** The buyer got no turn. */
        TURNED_AWAY
    }

    boolean served() {
        return end != End.TURNED_AWAY;
    }

    String toLine() {
        return end + " " + waited + " " + worked + " " + left;
    }

    static Visit parse(String line) {
        String[] words = line.split(" ");
        return new Visit(
                End.valueOf(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }
}
