// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * Compares the owner and deletes the key in one script. This is the lock of most articles. Its lease is never renewed.
 */
final class LuaReleaseLock {
    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              return redis.call('DEL', KEYS[1])
            end
            return 0
            """;

    private final RedisCommands<String, String> redis;
    private final String key;

    LuaReleaseLock(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    boolean tryLock(String owner, Duration lease) {
        return "OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease)));
    }

    /** Deletes the owner's lock. Returns {@code false} if the owner has lost it before. */
    boolean unlock(String owner) {
        Long deleted = redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, owner);
        return deleted == 1;
    }
}
