package io.boltwork.bench;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.redis.RedisBackend;

/** Boltwork as it is by default, or with {@link Fairness#FIFO}. */
final class BoltworkLocks implements Contender {
    private final LockClient client;
    private final LockOptions options;

    private BoltworkLocks(Setting setting, Fairness fairness) {
        client = LockClient.create(RedisBackend.connect(setting.uri()));
        options = LockOptions.renewedLease(setting.lease()).withFairness(fairness);
    }

    static Contender batched(Setting setting) {
        return new BoltworkLocks(setting, Fairness.BATCHED);
    }

    static Contender fifo(Setting setting) {
        return new BoltworkLocks(setting, Fairness.FIFO);
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(client.lock(name, options));
    }

    @Override
    public void close() {
        client.close();
    }
}
