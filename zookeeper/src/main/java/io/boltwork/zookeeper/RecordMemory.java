// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.store.RecordKey;
import io.boltwork.store.StoreClock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The records that a client was the last to write, as far as it knows. Thread-safe. */
final class RecordMemory {
    /** Most records are short, and with the longest texts they take about 20 MB. */
    private static final int MOST = 10_000;

    private static final int LONGEST = 2_000;

    /** A record that this client has not used for so long has probably been changed by another one. */
    private static final long FRESH = TimeUnit.SECONDS.toNanos(30);

    private final Map<RecordKey, Remembered> records = new ConcurrentHashMap<>();

    /** A record as this client has written it. */
    record Remembered(String text, long version, StoreClock written, long since) {
        boolean isFresh() {
            return System.nanoTime() - since < FRESH;
        }
    }

    @Nullable
    Remembered get(RecordKey key) {
        return records.get(key);
    }

    @Nullable
    Remembered remove(RecordKey key) {
        return records.remove(key);
    }

    /** Remembers a record unless it is long. Forgets all others if there are too many. */
    void put(RecordKey key, String text, long version, StoreClock written) {
        if (text.length() <= LONGEST) {
            if (records.size() >= MOST) {
                records.clear();
            }
            records.put(key, new Remembered(text, version, written, System.nanoTime()));
        }
    }

    void clear() {
        records.clear();
    }
}
