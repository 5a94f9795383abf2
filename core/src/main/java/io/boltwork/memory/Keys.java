// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.rules.StoredRecord;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The lock records of one server by name. A record lives for a while after its last use, and never less than its lease.
 */
final class Keys<R extends StoredRecord<R>> {
    private final Supplier<R> blank;
    private long idleMillis = IdleLife.DEFAULT.toMillis();

    /* The least recently used record first, which is about the order in which they expire. */
    private final LinkedHashMap<String, R> keys = new LinkedHashMap<>(16, 0.75f, true);

    /** Creates no records; {@code blank} creates a record that states nothing. */
    Keys(Supplier<R> blank) {
        this.blank = blank;
    }

    /**
     * Returns the record of a lock; if there is none, a blank one that is not stored until it is
     * {@linkplain #put put}.
     */
    R get(String lock, long millis) {
        dropEldestIfExpired(millis);
        R record = keys.get(lock);
        return record == null || record.expiresAt() < millis ? blank.get() : record;
    }

    /** Sets how long records live after their last use, from now on. */
    void live(long millis) {
        idleMillis = millis;
    }

    /** Returns how long records live after their last use, in milliseconds. */
    long idleMillis() {
        return idleMillis;
    }

    /** Stores a record that a command may have changed. */
    void put(String lock, R record) {
        if (record.isBlank()) {
            keys.remove(lock);
        } else {
            keys.put(lock, record);
        }
    }

    void delete(String lock) {
        keys.remove(lock);
    }

    /** Replaces all records by copies of others. */
    void become(Keys<R> others) {
        keys.clear();
        others.keys.forEach((name, record) -> keys.put(name, record.copy()));
    }

    void clear() {
        keys.clear();
    }

    /** Returns the number of records, including expired ones that have not been dropped yet. */
    int size() {
        return keys.size();
    }

    /** Returns the next records in the order of their names. */
    ScanPage<R> page(String cursor, int count, long millis) {
        return ScanPage.of(keys, cursor, count, record -> record.expiresAt() >= millis);
    }

    private void dropEldestIfExpired(long millis) {
        Iterator<Map.Entry<String, R>> eldest = keys.entrySet().iterator();
        for (int i = 0; i < 2 && eldest.hasNext() && eldest.next().getValue().expiresAt() < millis; i++) {
            eldest.remove();
        }
    }
}
