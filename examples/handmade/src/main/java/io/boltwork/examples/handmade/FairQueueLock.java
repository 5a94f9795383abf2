// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * A lock for which clients queue: their order is a list, and a sorted set has the time until which each of them is
 * waited for. Clients ask again and again.
 */
final class FairQueueLock {
    private static final String ACQUIRE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            -- @start region="dead"
            local first = redis.call('LINDEX', KEYS[2], 0)
            while first and tonumber(redis.call('ZSCORE', KEYS[3], first)) <= now do
              redis.call('LPOP', KEYS[2]) -- it has not come in its time
              redis.call('ZREM', KEYS[3], first)
              first = redis.call('LINDEX', KEYS[2], 0)
            end
            -- @end
            if redis.call('EXISTS', KEYS[1]) == 0 and (not first or first == ARGV[1]) then
              redis.call('LPOP', KEYS[2])
              redis.call('ZREM', KEYS[3], ARGV[1])
              redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
              return 1
            end
            if not redis.call('ZSCORE', KEYS[3], ARGV[1]) then
              local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')
              redis.call('RPUSH', KEYS[2], ARGV[1])
              redis.call('ZADD', KEYS[3], math.max(now, tonumber(last[2] or 0)) + ARGV[3], ARGV[1])
            end
            return 0
            """;

    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
            return 0
            """;

    private final RedisCommands<String, String> redis;
    private final String key;
    private final Duration patience;

    /** Creates a lock whose queue waits for each client for some time. */
    FairQueueLock(RedisCommands<String, String> redis, String key, Duration patience) {
        this.redis = redis;
        this.key = key;
        this.patience = patience;
    }

    /** Acquires the lock if it is free and the owner is the first of the queue. Otherwise the owner queues. */
    boolean tryLock(String owner, Duration lease) {
        String[] keys = {key, key + ":queue", key + ":deadlines"};
        String[] arguments = {owner, String.valueOf(lease.toMillis()), String.valueOf(patience.toMillis())};
        Long acquired = redis.eval(ACQUIRE, ScriptOutputType.INTEGER, keys, arguments);
        return acquired == 1;
    }

    void unlock(String owner) {
        redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, owner);
    }
}
