// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

/** A Redis with two clients of each library. */
final class SharedRedis implements AutoCloseable {
    final RedisServer redis = RedisServer.start();
    final RedissonClient redisson = redisson();
    final RedissonClient redissonElsewhere = redisson();
    final LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()));
    final LockClient locksElsewhere = LockClient.create(RedisBackend.connect(redis.uri()));

    RedissonClient redisson() {
        return redisson(NameMapper.direct());
    }

    RedissonClient redisson(NameMapper names) {
        Config config = new Config();
        config.setNameMapper(names).setThreads(2).setNettyThreads(4);
        config.useSingleServer()
                .setAddress(redis.uri())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(8)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(4);
        return Redisson.create(config);
    }

    @Override
    public void close() {
        locks.close();
        locksElsewhere.close();
        redisson.shutdown();
        redissonElsewhere.shutdown();
        redis.close();
    }
}
