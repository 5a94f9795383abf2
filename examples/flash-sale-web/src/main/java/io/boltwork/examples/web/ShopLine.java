// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A line of a {@link ShopReport}, such as {@code sale TOOK 1795843200123 sale-3 17 1795843200120456}.
 *
 * @param kind the event
 * @param at the time, in milliseconds since the epoch
 * @param words what follows: the item, the number of the buyer, tokens
 */
record ShopLine(Kind kind, long at, List<String> words) {
    private static final String MARK = "sale";

    /** The events. */
    enum Kind {
        /** The shop serves requests: its port. */
        OPEN,
        /** The number of buyers that wait for a lock in the shop. */
        WAITING,
        /** A purchase begins: item, buyer, fencing token or 0. */
        TOOK,
        /** A purchase waits for the freeze that was announced. */
        STANDING,
        /** A purchase is over: item, buyer, 1 if an item was sold. */
        LEFT,
        /** The guard refused the write: item, buyer, token, newer token. */
        REFUSED,
        /** A purchase ended with an error: item, buyer. */
        FAILED,
        /** A hold was lost: lock, token, reason. */
        LOST
    }

    static String text(Kind kind, long at, Object... words) {
        StringBuilder line = new StringBuilder(MARK + " " + kind + " " + at);
        for (Object word : words) {
            line.append(' ').append(word);
        }
        return line.toString();
    }

    /** Reads a line; empty if it is another one, such as one of the shop's log. */
    static Optional<ShopLine> read(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        if (words.size() < 3 || !words.get(0).equals(MARK)) {
            return Optional.empty();
        }
        return Optional.of(new ShopLine(
                Kind.valueOf(words.get(1)), Long.parseLong(words.get(2)), List.copyOf(words.subList(3, words.size()))));
    }

    String word(int index) {
        return words.get(index);
    }

    long number(int index) {
        return Long.parseLong(words.get(index));
    }
}
