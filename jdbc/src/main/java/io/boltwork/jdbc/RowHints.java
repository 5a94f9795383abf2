// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.store.RecordKey;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The places at which rows of PostgreSQL were last seen. An index leads to all versions of a row that PostgreSQL could
 * not remove yet: while any transaction stays open, those are all since it began. A statement that knows a place walks
 * only the versions since then. A place is only a hint: statements check everything about the row, and look into the
 * index if another row has the place. Thread-safe.
 */
final class RowHints {
    /** About two megabytes. */
    private static final int MOST = 10_000;
    /** The place is behind the end of a table that has shrunk. */
    private static final String INVALID = "22023";
    /** Versions cannot be followed, as in a table with partitions. */
    private static final Set<String> IMPOSSIBLE = Set.of("0A000", "42501", "42809", "42883", "XX000");

    private record Place(long version, String tid) {}

    private volatile boolean isOff;
    private final Map<RecordKey, Place> places = new ConcurrentHashMap<>();

    /** Executes a statement. */
    interface HintedCall<T> {
        T on(@Nullable String tid) throws SQLException;
    }

    /** Calls with the place where a row was seen last; {@code null} if there is none. */
    <T> T call(RecordKey key, HintedCall<T> call) throws SQLException {
        Place place = places.get(key);
        if (place == null) {
            return call.on(null);
        }
        try {
            return call.on(place.tid);
        } catch (SQLException failure) {
            String state = String.valueOf(failure.getSQLState());
            if (!INVALID.equals(state) && !IMPOSSIBLE.contains(state)) {
                throw failure;
            }
            isOff |= IMPOSSIBLE.contains(state);
            places.remove(key);
            return call.on(null);
        }
    }

    /** Returns the place of a version of a row; {@code null} if it is not known. */
    @Nullable
    String tid(RecordKey key, long version) {
        Place place = places.get(key);
        return place == null || place.version != version ? null : place.tid;
    }

    /** Records the place at which a row was seen. */
    void note(RecordKey key, long version, @Nullable String tid) {
        if (tid == null || isOff) {
            places.remove(key);
            return;
        }
        if (places.size() >= MOST) {
            places.clear();
        }
        places.put(key, new Place(version, tid));
    }
}
