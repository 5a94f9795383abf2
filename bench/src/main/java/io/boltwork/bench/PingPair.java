package io.boltwork.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** Floor: two PINGs over Lettuce, which lock nothing. No lock that asks Redis at acquire and at release can be faster. */
final class PingPair implements Contender {
    private final RedisClient lettuce;
    private final StatefulRedisConnection<String, String> connection;

    PingPair(Setting setting) {
        lettuce = RedisClient.create(setting.uri());
        connection = lettuce.connect();
    }

    @Override
    public BenchLock lock(String name) {
        return new BenchLock() {
            @Override
            public void lock() {
                connection.sync().ping();
            }

            @Override
            public boolean tryLock(Duration wait) {
                lock();
                return true;
            }

            @Override
            public void unlock() {
                connection.sync().ping();
            }
        };
    }

    @Override
    public void close() {
        lettuce.shutdown();
    }
}
