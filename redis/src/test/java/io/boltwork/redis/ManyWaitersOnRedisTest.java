// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests very many FIFO waiters of one client; with {@code -Dboltwork.proof=true} the full 50,000. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("alone")
class ManyWaitersOnRedisTest {

    private static final int WAITERS = Boolean.getBoolean("boltwork.proof") ? 50_000 : 10_000;
    private static final int FEW = 1_000;
    private static final String KEY = "boltwork:{crowded}";

    private static final LockOptions FIFO = LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO);

    /** Locks and unlocks another lock of the client until it is stopped, and records the time of each pair. */
    private static final class Pairs implements AutoCloseable {
        private final List<Long> micros = new ArrayList<>();
        private final Thread thread;
        private volatile boolean stopped;

        Pairs(LockClient client) {
            FencedLock other = client.lock("other");
            thread = new Thread(() -> {
                while (!stopped) {
                    long start = System.nanoTime();
                    other.lock();
                    other.unlock();
                    micros.add((System.nanoTime() - start) / 1_000);
                }
            });
            thread.start();
        }

        @Override
        public void close() throws InterruptedException {
            stopped = true;
            thread.join();
        }

        long p99() {
            Collections.sort(micros);
            return micros.get(micros.size() * 99 / 100);
        }
    }

    private static long fields(RedisServer server) {
        return (Long) server.command("HLEN", KEY);
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private static List<CompletableFuture<Lease>> queue(RedisServer server, FencedLock lock, int count) {
        long before = fields(server);
        List<CompletableFuture<Lease>> wishes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            wishes.add(lock.acquireAsync().toCompletableFuture());
        }
        Await.within(Duration.ofMinutes(2), "all are queued", () -> fields(server) >= before + count);
        return wishes;
    }

    /** Returns the turns per second until all waiters are served. */
    private static double rate(List<CompletableFuture<Lease>> wishes, Lease first) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(wishes.size());
        for (CompletableFuture<Lease> wish : wishes) {
            wish.thenAccept(lease -> {
                all.countDown();
                lease.releaseAsync();
            });
        }
        long start = System.nanoTime();
        first.release();
        assertThat(all.await(4, TimeUnit.MINUTES)).isTrue();
        return wishes.size() * 1e9 / (System.nanoTime() - start);
    }

    @TimedTest
    void manyWaitersAreQueuedServedAndCancelledWithoutHarm() throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()));
                LockClient elsewhere = LockClient.create(RedisBackend.connect(server.uri()))) {
            FencedLock lock = client.lock("crowded", FIFO);
            FencedLock taken = elsewhere.lock("crowded");
            Lease first = taken.acquire();
            rate(queue(server, lock, FEW), first); // so that everything is compiled
            first = taken.acquire();
            double few = rate(queue(server, lock, FEW), first);

            first = taken.acquire();
            long queued;
            long cancelled;
            double many;
            long p99;
            try (Pairs pairs = new Pairs(client)) {
                long start = System.nanoTime();
                List<CompletableFuture<Lease>> wishes = queue(server, lock, WAITERS);
                queued = millisSince(start);
                start = System.nanoTime();
                wishes.forEach(wish -> wish.cancel(false));
                Await.within(Duration.ofMinutes(2), "none is queued", () -> fields(server) < 100);
                cancelled = millisSince(start);
                pairs.close();
                p99 = pairs.p99();
            }
            many = rate(queue(server, lock, WAITERS), first);
            System.out.printf(
                    Locale.ROOT,
                    "%,d FIFO waiters of one client: queued in %,d ms, cancelled in %,d ms, p99 of other pairs %,d µs,"
                            + " %,.0f turns/s; of %,d: %,.0f turns/s%n",
                    WAITERS,
                    queued,
                    cancelled,
                    p99,
                    many,
                    FEW,
                    few);
            assertThat((double) p99).as("p99 of a pair, µs").isLessThan(150_000 * Slack.factor());
            assertThat((double) queued).as("queued, ms").isLessThan(5_000 * Slack.factor());
            assertThat((double) cancelled).as("cancelled, ms").isLessThan(5_000 * Slack.factor());
            assertThat(many).as("turns a second").isGreaterThan(few / (1.5 * Slack.factor()));
        }
    }
}
