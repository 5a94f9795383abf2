// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps the time of expiry as the value, by the clocks of the clients. From the time before {@code SET NX EX}. */
@SuppressWarnings("deprecation") // SETNX and GETSET are older than their better forms
final class ExpiryValueLock {
    private final RedisCommands<String, String> redis;
    private final String key;
    private final Clock clock;
    private @Nullable String mine;

    ExpiryValueLock(RedisCommands<String, String> redis, String key, Clock clock) {
        this.redis = redis;
        this.key = key;
        this.clock = clock;
    }

    boolean tryLock(Duration lease) {
        String expiry = String.valueOf(clock.millis() + lease.toMillis());
        if (redis.setnx(key, expiry)) {
            mine = expiry;
            return true;
        }
        String found = redis.get(key);
        if (found != null && Long.parseLong(found) < clock.millis()) { // expired, by this client's clock
            String before = redis.getset(key, expiry); // also writes if another client was faster
            if (found.equals(before)) {
                mine = expiry;
                return true;
            }
        }
        return false;
    }

    void unlock() {
        if (mine != null && mine.equals(redis.get(key))) {
            redis.del(key);
        }
    }
}
