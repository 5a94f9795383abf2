// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** {@code SET NX} with an expiry, one command, and a plain {@code DEL}, which does not ask for the owner. */
final class SetNxExLock {
    private final RedisCommands<String, String> redis;
    private final String key;

    SetNxExLock(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    boolean tryLock(String owner, Duration lease) {
        return "OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease)));
    }

    void unlock() {
        redis.del(key); // the lock of any owner
    }
}
