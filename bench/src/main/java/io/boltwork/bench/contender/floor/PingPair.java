// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.floor;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** Floor: two PINGs over Lettuce, without a lock. No lock that asks Redis to acquire and to release can be faster. */
public final class PingPair implements Contender {
    private final Masters masters;

    public PingPair(Setting setting) {
        masters = new Masters(setting);
    }

    @Override
    public BenchLock lock(String name) {
        StatefulRedisConnection<String, String> connection = masters.of(name);
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
        masters.close();
    }
}
