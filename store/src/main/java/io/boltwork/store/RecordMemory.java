// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The records that a client knows because it was the last to write them, or was told why its write failed. A store may
 * answer {@link RecordStore#recall} from here. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RecordMemory {
    /** Most records are short, and with the longest texts they take about 20 MB. */
    private static final int MOST = 10_000;

    private static final int LONGEST = 2_000;

    /** A record that this client has not used for so long has probably been changed by another one. */
    private static final long FRESH = TimeUnit.SECONDS.toNanos(30);

    private final Map<RecordKey, Remembered> records = new ConcurrentHashMap<>();

    /** Creates an empty memory. */
    public RecordMemory() {}

    /**
     * A record as this client knows it.
     *
     * @param text the text
     * @param version the version
     * @param written the clock that it was written by
     * @param since when it was remembered, by {@link System#nanoTime}
     */
    public record Remembered(String text, long version, StoreClock written, long since) {

        /**
         * Returns whether the record is probably still as it was.
         *
         * @return {@code false} if it was remembered more than half a minute ago
         */
        public boolean isFresh() {
            return System.nanoTime() - since < FRESH;
        }

        @Override
        public String toString() {
            return Printable.text("Remembered[text=" + text + ", version=" + version + ", written=" + written
                    + ", since=" + since + "]");
        }
    }

    /**
     * Returns a record.
     *
     * @param key the key
     * @return the record; {@code null} if this client does not know it
     */
    public @Nullable Remembered get(RecordKey key) {
        return records.get(key);
    }

    /**
     * Forgets a record.
     *
     * @param key the key
     * @return the record; {@code null} if this client did not know it
     */
    public @Nullable Remembered remove(RecordKey key) {
        return records.remove(key);
    }

    /**
     * Remembers a record unless it is long. Forgets all others if there are too many.
     *
     * @param key the key
     * @param text the text
     * @param version the version
     * @param written the clock that it was written by
     */
    public void put(RecordKey key, String text, long version, StoreClock written) {
        if (text.length() <= LONGEST) {
            if (records.size() >= MOST) {
                records.clear();
            }
            records.put(key, new Remembered(text, version, written, System.nanoTime()));
        }
    }

    /** Forgets all records. */
    public void clear() {
        records.clear();
    }
}
