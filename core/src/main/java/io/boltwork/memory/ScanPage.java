// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * A part of a map in the order of its names. A cursor is the last name of a page and not a position, so entries that
 * come or go between two pages do not hide other entries.
 *
 * @param found the entries
 * @param cursor the cursor of the next page; empty if there is none
 */
record ScanPage<V>(Map<String, V> found, String cursor) {
    /** The prefix of a cursor, so that the cursor after an empty name is not empty. */
    private static final String AFTER = ">";

    /** Returns the page at a cursor: those of the next {@code count} entries that are alive. */
    static <V> ScanPage<V> of(Map<String, V> all, String cursor, int count, Predicate<V> alive) {
        int size = Math.max(1, count);
        List<Map.Entry<String, V>> next = all.entrySet().stream() // get() would count as a use
                .filter(entry -> cursor.isEmpty() || entry.getKey().compareTo(cursor.substring(AFTER.length())) > 0)
                .sorted(Map.Entry.comparingByKey())
                .limit(size + 1L) // one more shows whether there is another page
                .toList();
        Map<String, V> found = new LinkedHashMap<>();
        next.stream()
                .limit(size)
                .filter(entry -> alive.test(entry.getValue()))
                .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        return new ScanPage<>(
                found, next.size() > size ? AFTER + next.get(size - 1).getKey() : "");
    }

    /** Returns the same page with other values. */
    <W> ScanPage<W> map(BiFunction<String, V, W> change) {
        Map<String, W> changed = new LinkedHashMap<>();
        found.forEach((name, value) -> changed.put(name, change.apply(name, value)));
        return new ScanPage<>(changed, cursor);
    }
}
