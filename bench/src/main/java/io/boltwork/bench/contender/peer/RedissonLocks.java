// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLatch;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import java.util.List;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with the configuration of its documentation: the servers' addresses and the watchdog's timeout, which is the
 * lease that it renews, and for a cluster also the scan interval of its example. All other settings are its defaults.
 */
public final class RedissonLocks implements Contender {
    private static final int SCAN_MILLIS = 2_000;

    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, RLock> kind;

    private RedissonLocks(Setting setting, BiFunction<RedissonClient, String, RLock> kind) {
        this.client = connect(setting);
        this.kind = kind;
    }

    static RedissonClient connect(Setting setting) {
        Config config = new Config().setLockWatchdogTimeout(setting.lease().toMillis());
        if (setting.isCluster()) {
            config.useClusterServers()
                    .setScanInterval(SCAN_MILLIS)
                    .addNodeAddress(setting.uris().toArray(String[]::new));
        } else {
            config.useSingleServer().setAddress(setting.uri());
        }
        return Redisson.create(config);
    }

    public static Contender plain(Setting setting) {
        return new RedissonLocks(setting, RedissonClient::getLock);
    }

    public static Contender fair(Setting setting) {
        return new RedissonLocks(setting, RedissonClient::getFairLock);
    }

    public static Contender spin(Setting setting) {
        return new RedissonLocks(setting, RedissonClient::getSpinLock);
    }

    public static Contender fenced(Setting setting) {
        return new RedissonLocks(setting, RedissonClient::getFencedLock);
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(kind.apply(client, name));
    }

    @Override
    public BenchLock readLock(String name) {
        return new JavaLock(client.getReadWriteLock(name).readLock());
    }

    @Override
    public BenchLock writeLock(String name) {
        return new JavaLock(client.getReadWriteLock(name).writeLock());
    }

    @Override
    public BenchLock together(List<String> names) {
        return new JavaLock(client.getMultiLock(
                names.stream().map(name -> kind.apply(client, name)).toArray(RLock[]::new)));
    }

    @Override
    public BenchLatch latch(String name) {
        RCountDownLatch latch = client.getCountDownLatch(name);
        return new BenchLatch(() -> latch.trySetCount(1), latch::countDown, latch::awaitAsync);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
