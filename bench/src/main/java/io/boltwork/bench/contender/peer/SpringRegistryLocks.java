// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's {@link RedisLockRegistry}, with room for all locks. By default it does not renew its locks, so
 * it does so only where they are held for longer than their lease.
 */
public final class SpringRegistryLocks implements Contender {
    private static final int CAPACITY = 200_000;

    private final LettuceConnectionFactory connections;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final RedisLockRegistry registry;

    private SpringRegistryLocks(Setting setting, RedisLockType type) {
        connections = SpringLettuce.connect(setting);
        scheduler.initialize();
        registry =
                new RedisLockRegistry(connections, "registry", setting.lease().toMillis());
        registry.setRedisLockType(type);
        if (setting.renewed()) {
            registry.setRenewalTaskScheduler(scheduler); // costs a request per lock, so only where needed
        }
        registry.setCacheCapacity(CAPACITY);
    }

    public static Contender pubSub(Setting setting) {
        return new SpringRegistryLocks(setting, RedisLockType.PUB_SUB_LOCK);
    }

    public static Contender spin(Setting setting) {
        return new SpringRegistryLocks(setting, RedisLockType.SPIN_LOCK);
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(registry.obtain(name));
    }

    @Override
    public void close() {
        registry.destroy();
        scheduler.shutdown();
        connections.destroy();
    }
}
