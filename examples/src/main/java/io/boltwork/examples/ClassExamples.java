// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockInspector;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The examples in the Javadoc of the API's classes, one method for each. */
final class ClassExamples {

    /** Parts of an application: a database, a log, an alarm. */
    interface Application {
        void sell();

        void write(String row, long token);

        void abort(LeaseLoss loss);

        void alarm(String text);
    }

    /** Work that only the leader does. */
    interface Reports {
        void start(long token);

        void stop();
    }

    /** Replaces the backend on Redis, so that the example of {@link LockClient} runs without a server on that port. */
    private static final class RedisBackend {
        @SuppressWarnings("unused")
        static LockBackend connect(String uri) {
            return MemoryBackend.create();
        }
    }

    private final Application application;

    ClassExamples(Application application) {
        this.application = application;
    }

    @SuppressWarnings("unused")
    static void lockClient() {
        // @start region="LockClient"
        try (LockClient locks = LockClient.create(RedisBackend.connect("redis://localhost:6379"))) {
            FencedLock stock = locks.lock("stock:1001");
        }
        // @end
    }

    void quorumBackend(LockBackend first, LockBackend second, LockBackend third) throws InterruptedException {
        // @start region="QuorumBackend"
        LockBackend three = QuorumBackend.of(List.of(first, second, third));
        try (LockClient locks = LockClient.create(three)) {
            locks.lock("stock:1001").run(Duration.ofSeconds(2), () -> sell());
        }
        // @end
    }

    static QuorumOptions quorumOptions() {
        // @start region="QuorumOptions"
        QuorumOptions options = QuorumOptions.defaults().longestLease(Duration.ofSeconds(40));
        // @end
        return options;
    }

    static @Nullable String readWriteLock(LockClient locks, Map<String, String> cache, String product) {
        // @start region="FencedReadWriteLock"
        FencedReadWriteLock prices = locks.readWriteLock("prices");
        try (Lease reading = prices.readLock().acquire()) {
            return cache.get(product);
        }
        // @end
    }

    static void multiLock(LockClient locks, BiConsumer<Long, Long> transfer) {
        // @start region="MultiLock"
        FencedLock from = locks.lock("account:1");
        FencedLock to = locks.lock("account:2");
        try (Lease both = locks.multiLock(from, to).acquire()) {
            transfer.accept(both.of(from).fencingToken(), both.of(to).fencingToken());
        }
        // @end
    }

    static boolean latch(LockClient locks, List<String> workers, Consumer<Runnable> executor)
            throws InterruptedException {
        // @start region="DistributedLatch"
        DistributedLatch imported = locks.latch("import:2026-11");
        imported.trySetCount(workers.size());
        workers.forEach(worker -> executor.accept(() -> imported.countDown(worker)));
        return imported.await(Duration.ofMinutes(10));
        // @end
    }

    static void semaphore(LockClient locks, Runnable upload) {
        // @start region="LeasedSemaphore"
        LeasedSemaphore uploads = locks.semaphore("uploads", 3);
        try (Lease permit = uploads.acquire()) {
            upload.run();
        }
        // @end
    }

    void fencedLock(FencedLock stock) {
        // @start region="FencedLock"
        stock.lock();
        try {
            sell();
        } finally {
            stock.unlock();
        }
        // @end
    }

    /** A part of an application that takes things from a buffer. */
    interface Buffer {
        boolean isEmpty();

        void take();
    }

    static void condition(FencedLock lock, Buffer buffer) throws InterruptedException {
        // @start region="Condition"
        Condition notEmpty = lock.condition("notEmpty");
        Condition notFull = lock.condition("notFull");
        lock.lock();
        try {
            while (buffer.isEmpty()) {
                notEmpty.await(10, TimeUnit.SECONDS);
            }
            buffer.take();
            notFull.signal();
        } finally {
            lock.unlock();
        }
        // @end
    }

    void lease(FencedLock stock, Application storage, String row) {
        // @start region="Lease"
        try (Lease lease = stock.acquire()) {
            lease.whenLost().thenAccept(loss -> abort(loss));
            storage.write(row, lease.fencingToken());
        }
        // @end
    }

    static Optional<Lease> acquireAsync(FencedLock stock) throws InterruptedException, ExecutionException {
        // @start region="acquireAsync"
        CompletableFuture<Lease> wish = stock.acquireAsync().toCompletableFuture();
        try {
            return Optional.of(wish.get(2, TimeUnit.SECONDS));
        } catch (TimeoutException tooLong) {
            if (!wish.cancel(true)) {
                wish.join().release(); // it came at the last moment
            }
            return Optional.empty();
        }
        // @end
    }

    static LockOptions lockOptions() {
        // @start region="LockOptions"
        LockOptions nightly = LockOptions.renewedLease(Duration.ofSeconds(30))
                .withMinHold(Duration.ofMinutes(5)) // no second run, though the job takes a second
                .withMaxHold(Duration.ofHours(2)); // but no run holds it for ever
        // @end
        return nightly;
    }

    static FencedLock replication(LockClient locks) {
        // @start region="Replication"
        FencedLock payout = locks.lock(
                "payout", LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofMillis(200))));
        // @end
        return payout;
    }

    void lockListener(LockClient locks) {
        // @start region="LockListener"
        locks.addListener(new LockListener() {
            @Override
            public void lost(Lost event) {
                alarm("lock lost: " + event);
            }
        });
        // @end
    }

    static Leadership leadership(LockClient locks, Reports reports) {
        // @start region="Leadership"
        Leadership leadership = Leadership.of(locks.lock("reports"), new LeadershipListener() {
            @Override
            public void elected(Lease lease) {
                reports.start(lease.fencingToken());
            }

            @Override
            public void revoked(Revocation revocation) {
                reports.stop(); // returns when the work has ended
            }
        });
        // @end
        return leadership;
    }

    static void lockInspector(LockClient locks) {
        // @start region="LockInspector"
        LockInspector inspector = locks.inspector();
        inspector.list("stock:*", 100).forEach(System.out::println);
        System.out.println(inspector.describe("stock:1001"));
        // @end
    }

    private void sell() {
        application.sell();
    }

    private void abort(LeaseLoss loss) {
        application.abort(loss);
    }

    private void alarm(String text) {
        application.alarm(text);
    }
}
