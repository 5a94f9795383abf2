// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** Compares the owner in the client before {@code DEL}: again two commands that are not one step. */
final class GetCompareDelLock {
    private final RedisCommands<String, String> redis;
    private final String key;

    GetCompareDelLock(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    boolean tryLock(String owner, Duration lease) {
        return "OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease)));
    }

    void unlock(String owner) {
        if (owner.equals(redis.get(key))) {
            redis.del(key); // the lease may have ended since GET
        }
    }
}
