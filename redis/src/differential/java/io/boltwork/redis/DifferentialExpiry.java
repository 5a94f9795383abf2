// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.IdleLife;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The expiry of each lock's key: some time after the end of its owner's lease. It is set again when less than 7/8 of
 * that time is left, never to an earlier time, and to a later time after a force release.
 */
final class DifferentialExpiry {
    /** The idle lives that clients have set. */
    static final List<Duration> LIVES = List.of(IdleLife.DEFAULT, IdleLife.SHORTEST, IdleLife.LONGEST);

    private final Map<String, Long> keys = new HashMap<>();

    /** Records the use of a lock whose owner's lease ends, or which is kept closed, in {@code left} ms. */
    void used(String lock, long now, long left, long life) {
        Long before = keys.get(lock);
        if (before == null || IdleLife.isDue(before - now - left, life)) {
            keys.put(lock, now + left + life);
        }
    }

    /**
     * Records a force release of a lock whose lease would have ended in {@code closed} ms. The next owner's lease ends
     * in {@code left} ms.
     */
    void forced(String lock, long now, long left, long closed, long life) {
        used(
                lock,
                now,
                Math.max(left, closed),
                Math.max(life, closed + Duration.ofDays(1).toMillis()));
    }

    boolean isKnown(String lock) {
        return keys.containsKey(lock);
    }

    /** Returns the last moment at which the key exists. */
    long expiresAt(String lock) {
        return keys.get(lock);
    }

    void remove(String lock) {
        keys.remove(lock);
    }

    void clear() {
        keys.clear();
    }
}
