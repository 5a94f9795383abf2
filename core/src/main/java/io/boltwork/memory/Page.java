package io.boltwork.memory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A part of a map, in the order of its names. A cursor says after which name to go on, not at which place: what comes and
 * goes between two pages makes nothing else be missed.
 *
 * @param found the entries
 * @param cursor where the next page begins, empty if there is none
 */
record Page<V>(Map<String, V> found, String cursor) {
    /** So that the cursor after an empty name is not empty. */
    private static final String AFTER = ">";

    /** The page at a cursor: of so many names the entries that are alive. */
    static <V> Page<V> of(Map<String, V> all, String cursor, int count, Predicate<V> alive) {
        int size = Math.max(1, count);
        List<Map.Entry<String, V>> next = all.entrySet().stream() // get() would count as a use
                .filter(entry -> cursor.isEmpty() || entry.getKey().compareTo(cursor.substring(AFTER.length())) > 0)
                .sorted(Map.Entry.comparingByKey())
                .limit(size + 1L) // one more tells whether there is another page
                .toList();
        Map<String, V> found = new LinkedHashMap<>();
        next.stream()
                .limit(size)
                .filter(entry -> alive.test(entry.getValue()))
                .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        return new Page<>(found, next.size() > size ? AFTER + next.get(size - 1).getKey() : "");
    }

    /** The same page of other values. */
    <W> Page<W> map(Function<V, W> change) {
        Map<String, W> changed = new LinkedHashMap<>();
        found.forEach((name, value) -> changed.put(name, change.apply(value)));
        return new Page<>(changed, cursor);
    }
}
