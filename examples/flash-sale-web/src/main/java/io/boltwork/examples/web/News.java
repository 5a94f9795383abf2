// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest events of the demo, in words. Thread-safe. */
final class News {
    private static final int KEPT = 40;

    /** The look of an event. */
    enum Tone {
        PLAIN,
        GOOD,
        WARNING,
        REJECTED
    }

    /**
     * An event.
     *
     * @param id a number that grows
     * @param at the time, in milliseconds since the epoch
     * @param tone how it is shown
     * @param text the event in words
     */
    record Item(int id, long at, Tone tone, String text) {}

    private final Deque<Item> items = new ArrayDeque<>();
    private int last;

    synchronized void add(Tone tone, String text) {
        last++;
        items.addFirst(new Item(last, System.currentTimeMillis(), tone, text));
        if (items.size() > KEPT) {
            items.removeLast();
        }
    }

    /** Returns the events, the latest first. */
    synchronized List<Item> items() {
        return List.copyOf(items);
    }
}
