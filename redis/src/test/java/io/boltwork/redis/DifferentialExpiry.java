package io.boltwork.redis;

import java.util.HashMap;
import java.util.Map;

/**
 * When the key of each lock expires. The memory server drops a key a day after its last change, or when its lease ends; a
 * script sets the expiry an hour later than that, once an hour, unless the clock went back or the lease is longer than a day.
 */
final class DifferentialExpiry {
    static final long HOUR = 3_600_000;
    static final long DAY = 24 * HOUR;

    private record Key(long setAt, long expiresAt, long changedAt) {}

    private final Map<String, Key> keys = new HashMap<>();

    /** A lock was changed, and its owner's lease ends, or it is kept, in {@code left} ms. */
    void changed(String lock, long now, long left) {
        Key key = keys.get(lock);
        boolean due = key == null || now - key.setAt >= HOUR || now < key.setAt || left > DAY;
        keys.put(lock, due ? new Key(now, now + left + DAY + HOUR, now) : new Key(key.setAt, key.expiresAt, now));
    }

    /** A release that found the clock set back: the short form of the script leaves the expiry as it is. */
    boolean mayStay(String lock, long now) {
        Key key = keys.get(lock);
        return key != null && now < key.setAt && key.setAt - now < HOUR;
    }

    /** A lock was changed without its expiry. */
    void changedOnly(String lock, long now) {
        keys.computeIfPresent(lock, (name, key) -> new Key(key.setAt, key.expiresAt, now));
    }

    boolean isKnown(String lock) {
        return keys.containsKey(lock);
    }

    /** When its expiry was set last. */
    long setAt(String lock) {
        return keys.get(lock).setAt;
    }

    /** The last moment at which Redis has the key. */
    long expiresAt(String lock) {
        return keys.get(lock).expiresAt;
    }

    /** Whether the memory server may have dropped the key by now, or Redis has. */
    boolean isDue(String lock, long now) {
        Key key = keys.get(lock);
        return key != null && (now >= key.changedAt + DAY || now > key.expiresAt);
    }

    void remove(String lock) {
        keys.remove(lock);
    }

    void clear() {
        keys.clear();
    }
}
