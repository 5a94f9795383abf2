// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.own;

import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.LockOptions.Release;
import io.boltwork.bench.contender.BenchLatch;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.contender.StorePool;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.LockBackend;
import io.boltwork.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Boltwork with its defaults, with {@link Fairness#FIFO}, with {@link Release#SENT}, or with retention. */
public final class BoltworkLocks implements Contender {
    /** The time for which unused locks are retained. */
    public static final Duration RETENTION = Duration.ofMillis(100);

    /** The longest lease of a lock that is retained. */
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(10);

    /* Of a database. Closed after the client. */
    private final @Nullable HikariDataSource pool;
    private final LockClient client;
    private final LockOptions options;

    private BoltworkLocks(Setting setting, UnaryOperator<LockOptions> change) {
        pool = setting.deployment().isDatabase() ? StorePool.open(setting.uri()) : null;
        client = LockClient.create(backend(setting, pool));
        options = change.apply(LockOptions.renewedLease(setting.lease()));
    }

    private static LockBackend backend(Setting setting, @Nullable HikariDataSource pool) {
        return switch (setting.deployment()) {
            case STANDALONE -> RedisBackend.connect(setting.uri());
            case CLUSTER -> RedisBackend.connectCluster(setting.uris());
            case POSTGRESQL, MARIADB, H2 -> JdbcBackend.on(Objects.requireNonNull(pool));
            case ZOOKEEPER -> ZooKeeperBackend.connect(setting.uri());
            case ETCD -> EtcdBackend.connect(setting.uri());
        };
    }

    public static Contender batched(Setting setting) {
        return new BoltworkLocks(setting, options -> options);
    }

    public static Contender fifo(Setting setting) {
        return new BoltworkLocks(setting, options -> options.withFairness(Fairness.FIFO));
    }

    public static Contender releaseSent(Setting setting) {
        return new BoltworkLocks(setting, options -> options.withRelease(Release.SENT));
    }

    public static Contender retained(Setting setting) {
        return new BoltworkLocks(
                setting, options -> options.withRenewedLease(LONGEST_LEASE).withRetention(RETENTION));
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(client.lock(name, options));
    }

    @Override
    public BenchLock readLock(String name) {
        return new JavaLock(client.readWriteLock(name, options).readLock());
    }

    @Override
    public BenchLock writeLock(String name) {
        return new JavaLock(client.readWriteLock(name, options).writeLock());
    }

    @Override
    public BenchLock together(List<String> names) {
        return new JavaLock(client.multiLock(
                names.stream().map(name -> client.lock(name, options)).toArray(FencedLock[]::new)));
    }

    @Override
    public BenchLatch latch(String name) {
        DistributedLatch latch = client.latch(name);
        return new BenchLatch(() -> latch.trySetCount(1), latch::countDown, latch::awaitAsync);
    }

    @Override
    public BenchLock permit(String name, int permits) {
        return new BoltworkPermit(client.semaphore(name, permits, options));
    }

    @Override
    public void close() {
        client.close();
        if (pool != null) {
            pool.close();
        }
    }
}
