// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.fence.RedisFence;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Coupons of a campaign: one for each user, and a limited number of them. The code of a coupon comes from another
 * system, so no single command can check, create and write. A lock makes it one step, and a guard refuses a holder that
 * is late.
 */
final class Coupons {
    private static final String WRITE = RedisFence.include() + """
            local newer = boltwork_fence(KEYS[1], ARGV[1], ARGV[2])
            if newer then return newer end
            redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
            return ''
            """;

    /** One step on the server, and no lock: the coupon has a number, and no code of another system. */
    private static final String NEXT_NUMBER = """
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
            local number = redis.call('HLEN', KEYS[1]) + 1
            if number > tonumber(ARGV[2]) then return 0 end
            redis.call('HSET', KEYS[1], ARGV[1], number)
            return number
            """;

    private final LockClient locks;
    private final RedisCommands<String, String> redis;
    private final RedisFence fence;
    private final int limit;

    /** Creates the codes of coupons. Each call creates a new one. */
    interface CouponCodes {
        String create(String user);
    }

    Coupons(LockClient locks, RedisCommands<String, String> redis, int limit) {
        this.locks = locks;
        this.redis = redis;
        this.limit = limit;
        fence = RedisFence.on((script, keys, arguments) -> redis.eval(
                script, ScriptOutputType.VALUE, keys.toArray(String[]::new), arguments.toArray(String[]::new)));
    }

    /** Hands a coupon to a user, unless the user has one or none is left. Waits for at most two seconds. */
    Optional<String> handOut(String campaign, String user, CouponCodes codes) throws InterruptedException {
        String given = "coupons:{" + campaign + "}";
        // @start region="coupon"
        try (Lease lease = locks.lock("coupons:" + campaign)
                .tryAcquire(Duration.ofSeconds(2))
                .orElseThrow(() -> new IllegalStateException("busy, please try again"))) {
            fence.check(given, lease.fencingToken()); // first, before the holder reads
            if (redis.hexists(given, user) || redis.hlen(given) >= limit) {
                return Optional.empty();
            }
            String code = codes.create(user); // a call of another system
            write(given, user, code, lease.fencingToken()); // refused if a newer holder has come
            return Optional.of(code);
        }
        // @end
    }

    private void write(String given, String user, String code, long token) {
        List<String> guard = fence.arguments(token);
        String[] keys = {fence.key(given), given};
        fence.checkAnswer(
                given, token, redis.eval(WRITE, ScriptOutputType.VALUE, keys, guard.get(0), guard.get(1), user, code));
    }

    /** Hands a numbered coupon to a user, without a lock. */
    Optional<Long> handOutNumber(String campaign, String user) {
        String[] keys = {"numbers:{" + campaign + "}"};
        Long number = redis.eval(NEXT_NUMBER, ScriptOutputType.INTEGER, keys, user, Integer.toString(limit));
        return number == 0 ? Optional.empty() : Optional.of(number);
    }
}
