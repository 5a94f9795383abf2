// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.LockClient;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.TaskScheduler;

/** Lock registries of Spring Integration. */
final class FromSpringIntegration {
    private FromSpringIntegration() {}

    static RedisLockRegistry redisBefore(RedisConnectionFactory redis, TaskScheduler scheduler) {
        RedisLockRegistry registry = new RedisLockRegistry(redis, "shop", Duration.ofSeconds(30));
        registry.setRenewalTaskScheduler(scheduler); // otherwise nothing renews
        return registry;
    }

    static BoltworkLockRegistry redisAfter(LockClient locks) {
        // @start region="redis-after"
        BoltworkLockRegistry registry = new BoltworkLockRegistry(locks, "shop:");
        // @end
        return registry;
    }

    static JdbcLockRegistry jdbcBefore(LockRepository repository) {
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, Duration.ofSeconds(30));
        return registry;
    }

    static LockClient jdbcAfter(DataSource dataSource) {
        LockClient locks = LockClient.create(JdbcBackend.on(dataSource)); // one for the whole application
        return locks;
    }

    static LockRegistryLeaderInitiator initiator(BoltworkLockRegistry registry) {
        // @start region="initiator"
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(registry, new DefaultCandidate("node-1", "leader"));
        // @end
        return initiator;
    }

    static void use(LockRegistry<DistributedLock> registry, Runnable work) {
        DistributedLock orders = registry.obtain("orders");
        orders.lock();
        try {
            work.run();
        } finally {
            orders.unlock(); // a ConcurrentModificationException if the lease was lost
        }
    }
}
