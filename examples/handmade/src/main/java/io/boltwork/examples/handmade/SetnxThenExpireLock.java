// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** The first attempt: {@code SETNX}, and then {@code EXPIRE}. Two commands that are not one step. */
@SuppressWarnings("deprecation") // SETNX is older than SET with NX
final class SetnxThenExpireLock {
    private final RedisCommands<String, String> redis;
    private final String key;

    SetnxThenExpireLock(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    boolean tryLock(String owner, Duration lease) {
        if (!redis.setnx(key, owner)) {
            return false;
        }
        redis.expire(key, lease); // a crash before this line leaves a key without an expiry
        return true;
    }

    void unlock() {
        redis.del(key);
    }
}
