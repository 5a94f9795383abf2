// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import java.util.Objects;

/**
 * Reads leases of any contender from Redis. Boltwork stores the end of a lease in its hash; the others let the key
 * expire. Stateless.
 */
public final class Leases {
    private static final String LEFT = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local function left(key)
              if redis.call('TYPE', key).ok == 'hash' then
                local till = redis.call('HGET', key, 'until')
                if till then
                  return till - now
                end
              end
              return redis.call('PTTL', key)
            end
            local least = 1000000000
            """;

    /* Looks at random keys. Returns how many were locks, and the least time left of those. */
    private static final String SOME = LEFT + """
            local seen = 0
            for i = 1, ARGV[2] do
              local key = redis.call('RANDOMKEY')
              if key and string.find(key, ARGV[1], 1, true) then
                seen = seen + 1
                least = math.min(least, left(key))
              end
            end
            return {seen, least}
            """;

    private static final String ALL = LEFT + """
            for _, key in ipairs(redis.call('KEYS', '*' .. ARGV[1] .. '*')) do
              local kind = redis.call('TYPE', key).ok
              if kind == 'string' or kind == 'hash' then
                least = math.min(least, left(key))
              end
            end
            return least
            """;

    private Leases() {}

    /**
     * Returns the least time left, in ms, of some locks whose names contain the text. Returns a very large number if it
     * saw none.
     */
    public static long leastOfSome(RedisServer redis, String name, int attempts) {
        List<?> answer =
                (List<?>) Objects.requireNonNull(redis.command("EVAL", SOME, "0", name, Integer.toString(attempts)));
        return (Long) Objects.requireNonNull(answer.get(1));
    }

    /** Returns the time left of a lock, in ms. */
    public static long left(RedisServer redis, String name) {
        return (Long) Objects.requireNonNull(redis.command("EVAL", ALL, "0", name));
    }
}
