// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a lock that is shared with Redisson, at one moment. Each {@code End} is the time at which the key
 * expires, {@link #NEVER}, or {@link #ABSENT}.
 *
 * @param lock the record
 * @param hash Redisson's hash; {@code null} if the key has another type
 * @param counter Redisson's counter of fencing tokens, or {@code null}
 * @param isFair whether the queue of a fair lock exists
 */
record BridgeState(
        Map<String, String> lock,
        long lockEnd,
        @Nullable Map<String, String> hash,
        long hashEnd,
        @Nullable String counter,
        long counterEnd,
        boolean isFair) {
    static final long NEVER = -1;
    static final long ABSENT = -2;
    static final BridgeState EMPTY = new BridgeState(Map.of(), ABSENT, Map.of(), ABSENT, null, ABSENT, false);

    /** Returns what is left of these keys at a later time. */
    BridgeState at(long now) {
        boolean noLock = isOver(lockEnd, now);
        boolean noHash = isOver(hashEnd, now);
        boolean noCounter = isOver(counterEnd, now);
        return new BridgeState(
                noLock ? Map.of() : lock,
                noLock ? ABSENT : lockEnd,
                noHash ? Map.of() : hash,
                noHash ? ABSENT : hashEnd,
                noCounter ? null : counter,
                noCounter ? ABSENT : counterEnd,
                isFair);
    }

    private static boolean isOver(long end, long now) {
        return end >= 0 && now > end;
    }

    String owner() {
        return lock.getOrDefault("owner", "");
    }

    long number(String field) {
        return Long.parseLong(lock.getOrDefault(field, "0"));
    }

    boolean hasQueue() {
        return lock.containsKey("head");
    }

    /** Returns the field of Redisson's hash, or an empty text. */
    String holder() {
        return hash == null || hash.isEmpty() ? "" : hash.keySet().iterator().next();
    }

    /** Returns whether the key of Redisson is not that of a plain lock. */
    boolean isOfAnotherKind() {
        return hash == null || hash.size() > 1;
    }

    /** Returns what Redisson has counted, 0 if it has not, or if the key is no number. */
    long counted() {
        return counter == null || !counter.matches("\\d+") ? 0 : Long.parseLong(counter);
    }

    /** Returns turns, since and left. */
    List<Long> chances(long now) {
        String text = lock.get("bridge");
        if (text == null) {
            return List.of(0L, now, 0L);
        }
        String[] parts = text.split(" ");
        return List.of(Long.valueOf(parts[0]), Long.valueOf(parts[1]), Long.valueOf(parts[2]));
    }
}
