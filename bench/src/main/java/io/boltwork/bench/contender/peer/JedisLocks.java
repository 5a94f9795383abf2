// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.RetryingLock;
import io.boltwork.bench.contender.Setting;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The lock that the Redis documentation describes: {@code SET key random NX PX lease}, a script that deletes the key if
 * it still has that value, and a random pause before the next attempt. Neither reentrant nor renewed.
 */
public final class JedisLocks implements Contender {
    private static final Duration LEAST_PAUSE = Duration.ofMillis(5);
    private static final Duration MOST_PAUSE = Duration.ofMillis(20);
    private static final String RELEASE = """
            if redis.call('get', KEYS[1]) == ARGV[1] then
              return redis.call('del', KEYS[1])
            end
            return 0
            """;

    private final RedisClient jedis;
    private final String release;
    private final SetParams ifFree;

    /* The value of the thread's hold. A thread has one hold per lock at a time. */
    private final ThreadLocal<String> value =
            ThreadLocal.withInitial(() -> UUID.randomUUID().toString());

    public JedisLocks(Setting setting) {
        GenericObjectPoolConfig<Connection> pool = new ConnectionPoolConfig();
        pool.setMaxTotal(64); // one per thread: waiting for a connection would count as waiting for a lock
        pool.setMaxIdle(64);
        jedis = RedisClient.builder()
                .hostAndPort(setting.host(), setting.port())
                .poolConfig(pool)
                .build();
        release = jedis.scriptLoad(RELEASE);
        ifFree = new SetParams().nx().px(setting.lease().toMillis());
    }

    @Override
    public BenchLock lock(String name) {
        return new RetryingLock(LEAST_PAUSE, MOST_PAUSE) {
            @Override
            public boolean acquire() {
                return jedis.set(name, value.get(), ifFree) != null;
            }

            @Override
            public void unlock() {
                jedis.evalsha(release, List.of(name), List.of(value.get()));
            }
        };
    }

    @Override
    public void close() {
        jedis.close();
    }
}
