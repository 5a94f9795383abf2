package io.boltwork.memory;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The locks of one server by name. A key lives for a day after its last change, and never less than its lease. */
final class Keys {
    private static final long LIFE_MILLIS = Duration.ofDays(1).toMillis();

    /* The least recently used first: about the order in which they expire. */
    private final LinkedHashMap<String, Key> keys = new LinkedHashMap<>(16, 0.75f, true);

    /** The key of a lock; a blank one that is not kept unless {@linkplain #touch touched} if there is none. */
    Key get(String lock, long millis) {
        dropEldestIfExpired(millis);
        Key key = keys.get(lock);
        return key == null || key.expiresAt <= millis ? new Key() : key;
    }

    /** Keeps a key after a step that may have changed it. */
    void touch(String lock, Key key, long millis) {
        if (key.isBlank()) {
            keys.remove(lock);
        } else {
            key.expiresAt = Math.max(key.until, millis + LIFE_MILLIS);
            keys.put(lock, key);
        }
    }

    void delete(String lock) {
        keys.remove(lock);
    }

    /** The same keys, each a copy. */
    Keys copy() {
        Keys copy = new Keys();
        keys.forEach((name, key) -> copy.keys.put(name, key.copy()));
        return copy;
    }

    /** Forgets all, and takes over copies of others. */
    void become(Keys others) {
        keys.clear();
        keys.putAll(others.copy().keys);
    }

    void clear() {
        keys.clear();
    }

    /** How many are kept, expired ones that nobody has stumbled on included. */
    int size() {
        return keys.size();
    }

    /** The next keys in the order of their names. */
    Page<Key> page(String cursor, int count, long millis) {
        return Page.of(keys, cursor, count, key -> key.expiresAt > millis);
    }

    private void dropEldestIfExpired(long millis) {
        Iterator<Map.Entry<String, Key>> eldest = keys.entrySet().iterator();
        for (int i = 0; i < 2 && eldest.hasNext() && eldest.next().getValue().expiresAt <= millis; i++) {
            eldest.remove();
        }
    }
}
