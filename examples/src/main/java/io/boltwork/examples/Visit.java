package io.boltwork.examples;

/**
 * What became of a buyer. All times are in nanoseconds.
 *
 * @param end how it ended
 * @param waited from the buyer's arrival to the turn, or to giving up
 * @param worked how long the turn took
 * @param left when the turn was over, from the start of the sale
 */
record Visit(End end, long waited, long worked, long left) {

    /** How a visit ended. */
    enum End {
        /** With an item. */
        SOLD,
        /** With a turn, but too late. */
        SOLD_OUT,
        /** Without a turn. */
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
