// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.RetryingLock;
import io.boltwork.bench.contender.Setting;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The reentrant lock that many Spring applications write themselves: a hash with the owner's id and a count, two
 * scripts that are sent with {@link StringRedisTemplate}, and 50 ms between attempts. Not renewed.
 */
public final class TemplateLocks implements Contender {
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final RedisScript<Boolean> ACQUIRE = RedisScript.of("""
            if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
              redis.call('hincrby', KEYS[1], ARGV[1], 1)
              redis.call('pexpire', KEYS[1], ARGV[2])
              return 1
            end
            return 0
            """, Boolean.class);
    private static final RedisScript<Long> RELEASE = RedisScript.of("""
            if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
              return -1
            end
            local count = redis.call('hincrby', KEYS[1], ARGV[1], -1)
            if count == 0 then
              redis.call('del', KEYS[1])
            end
            return count
            """, Long.class);

    private final LettuceConnectionFactory connections;
    private final StringRedisTemplate redis;
    private final String lease;
    private final String client = UUID.randomUUID().toString();

    public TemplateLocks(Setting setting) {
        connections = SpringLettuce.connect(setting);
        redis = new StringRedisTemplate(connections);
        lease = Long.toString(setting.lease().toMillis());
    }

    @Override
    @SuppressWarnings("deprecation") // getId: threadId() needs a later Java
    public BenchLock lock(String name) {
        List<String> key = List.of(name);
        return new RetryingLock(PAUSE, PAUSE) {
            @Override
            public boolean acquire() {
                return Boolean.TRUE.equals(redis.execute(ACQUIRE, key, owner(), lease));
            }

            @Override
            public void unlock() {
                redis.execute(RELEASE, key, owner());
            }

            private String owner() {
                return client + ":" + Thread.currentThread().getId();
            }
        };
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
