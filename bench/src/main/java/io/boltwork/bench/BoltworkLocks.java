package io.boltwork.bench;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.LockOptions.Release;
import io.boltwork.redis.RedisBackend;
import java.util.List;

/** Boltwork with its defaults, with {@link Fairness#FIFO}, or with {@link Release#SENT}. */
final class BoltworkLocks implements Contender {
    private final LockClient client;
    private final LockOptions options;

    private BoltworkLocks(Setting setting, Fairness fairness, Release release) {
        client = LockClient.create(
                setting.isCluster()
                        ? RedisBackend.connectCluster(setting.uris())
                        : RedisBackend.connect(setting.uri()));
        options =
                LockOptions.renewedLease(setting.lease()).withFairness(fairness).withRelease(release);
    }

    static Contender batched(Setting setting) {
        return new BoltworkLocks(setting, Fairness.BATCHED, Release.AWAITED);
    }

    static Contender fifo(Setting setting) {
        return new BoltworkLocks(setting, Fairness.FIFO, Release.AWAITED);
    }

    static Contender releaseSent(Setting setting) {
        return new BoltworkLocks(setting, Fairness.BATCHED, Release.SENT);
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
    }
}
