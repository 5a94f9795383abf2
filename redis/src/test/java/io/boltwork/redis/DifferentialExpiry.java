package io.boltwork.redis;

import io.boltwork.spi.IdleLife;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When the key of each lock expires: some time after the end of its owner's lease, set anew when less than 7/8 of that time is
 * left and never to an earlier time; later if the lock was taken away.
 */
final class DifferentialExpiry {
    /** What clients have set. */
    static final List<Duration> LIVES = List.of(IdleLife.DEFAULT, IdleLife.SHORTEST, IdleLife.LONGEST);

    private final Map<String, Long> keys = new HashMap<>();

    /** A lock was used, and its owner's lease ends, or it is kept, in {@code left} ms. */
    void used(String lock, long now, long left, long life) {
        Long before = keys.get(lock);
        if (before == null || IdleLife.isDue(before - now - left, life)) {
            keys.put(lock, now + left + life);
        }
    }

    /** A lock was taken away, whose lease would have ended in {@code closed} ms, and that of the next owner in {@code left}. */
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

    /** The last moment at which there is the key. */
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
