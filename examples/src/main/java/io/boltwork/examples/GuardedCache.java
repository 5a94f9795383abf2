// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.fence.RedisFence;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** Values in Redis, which refuses writes whose lock was lost. */
final class GuardedCache {
    private GuardedCache() {}

    static RedisFence write(RedisCommands<String, String> commands, Lease lease) {
        // @start region="RedisFence"
        RedisFence fence = RedisFence.on((script, keys, arguments) -> commands.eval(
                script, ScriptOutputType.VALUE, keys.toArray(String[]::new), arguments.toArray(String[]::new)));
        fence.check("prices", lease.fencingToken()); // first, before the holder reads the prices
        fence.set("prices", "apple 40", lease.fencingToken());
        // @end
        return fence;
    }

    static void sell(RedisFence.Scripts redis, RedisFence fence, Lease lease) {
        // @start region="include"
        String sell = RedisFence.include() + """
                local newer = boltwork_fence(KEYS[1], ARGV[1], ARGV[2])
                if newer then return newer end
                redis.call('HINCRBY', KEYS[2], ARGV[3], -1)
                return ''
                """;
        // @end
        long token = lease.fencingToken();
        // @start region="script"
        List<String> guard = fence.arguments(token);
        String answer =
                redis.run(sell, List.of(fence.key("{stock}"), "{stock}"), List.of(guard.get(0), guard.get(1), "apple"));
        fence.checkAnswer("{stock}", token, answer);
        // @end
    }
}
