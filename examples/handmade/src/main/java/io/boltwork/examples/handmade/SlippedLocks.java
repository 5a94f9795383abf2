// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** Locks with a slip that every compiler accepts, and that shows only after a failure. */
final class SlippedLocks {
    private SlippedLocks() {}

    /** Deletes a key that was never locked. {@code DEL} returns 0, which is not looked at. */
    record WrongKey(RedisCommands<String, String> redis, String name) {
        boolean tryLock(String owner, Duration lease) {
            SetArgs once = SetArgs.Builder.nx().px(lease);
            return "OK".equals(redis.set("lock:" + name, owner, once));
        }

        void unlock() {
            redis.del("lock" + name); // DEL of a key that was never locked: there is no colon
        }
    }

    /** Compares a text with a number, so that each success is reported as a failure. */
    record WrongType(RedisCommands<String, String> redis, String key) {
        private static final String LOCK = """
                if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 else return 0 end
                """;

        boolean tryLock(String owner, Duration lease) {
            String[] keys = {key};
            Long reply = redis.eval(LOCK, ScriptOutputType.INTEGER, keys, owner, String.valueOf(lease.toMillis()));
            return "1".equals(reply); // reports failure after success: no text is equal to a Long
        }
    }

    /** Passes milliseconds to {@code EX}, which takes seconds. */
    record WrongUnit(RedisCommands<String, String> redis, String key) {
        boolean tryLock(String owner, Duration lease) {
            SetArgs once = SetArgs.Builder.nx().ex(lease.toMillis()); // EX takes seconds
            return "OK".equals(redis.set(key, owner, once));
        }
    }
}
