package io.boltwork.memory;

import io.boltwork.spi.IdleLife;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The lock records of one server by name. A record lives for a while after its last use, and never less than its lease.
 */
final class Keys {
    private long idleMillis = IdleLife.DEFAULT.toMillis();

    /* The least recently used record first, which is about the order in which they expire. */
    private final LinkedHashMap<String, Key> keys = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Returns the record of a lock; if there is none, a blank one that is not stored until it is
     * {@linkplain #touch touched}.
     */
    Key get(String lock, long millis) {
        dropEldestIfExpired(millis);
        Key key = keys.get(lock);
        return key == null || key.expiresAt < millis ? new Key() : key;
    }

    /** Sets how long records live after their last use, from now on. */
    void live(long millis) {
        idleMillis = millis;
    }

    /** Stores a record after a step that may have changed it. */
    void touch(String lock, Key key, long millis) {
        touch(lock, key, millis, idleMillis, 0);
    }

    /** Stores a record after the lock was taken away from a lease that would have ended after {@code closedMillis}. */
    void touchForced(String lock, Key key, long millis, long closedMillis) {
        touch(lock, key, millis, Math.max(idleMillis, closedMillis + IdleLife.FORCED_MILLIS), closedMillis);
    }

    private void touch(String lock, Key key, long millis, long lifeMillis, long closedMillis) {
        if (key.isBlank()) {
            keys.remove(lock);
            return;
        }
        long end = Math.max(key.until, millis + closedMillis);
        if (IdleLife.isDue(key.expiresAt - end, lifeMillis)) {
            key.expiresAt = end + lifeMillis;
        }
        keys.put(lock, key);
    }

    void delete(String lock) {
        keys.remove(lock);
    }

    /** Returns a deep copy of these records. */
    Keys copy() {
        Keys copy = new Keys();
        keys.forEach((name, key) -> copy.keys.put(name, key.copy()));
        return copy;
    }

    /** Replaces all records by copies of others. */
    void become(Keys others) {
        keys.clear();
        keys.putAll(others.copy().keys);
    }

    void clear() {
        keys.clear();
    }

    /** Returns the number of records, including expired ones that have not been dropped yet. */
    int size() {
        return keys.size();
    }

    /** Returns the next records in the order of their names. */
    Page<Key> page(String cursor, int count, long millis) {
        return Page.of(keys, cursor, count, key -> key.expiresAt >= millis);
    }

    private void dropEldestIfExpired(long millis) {
        Iterator<Map.Entry<String, Key>> eldest = keys.entrySet().iterator();
        for (int i = 0; i < 2 && eldest.hasNext() && eldest.next().getValue().expiresAt < millis; i++) {
            eldest.remove();
        }
    }
}
