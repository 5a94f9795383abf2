// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests load on a bad network. {@code -Dboltwork.promise.seconds=60} sets the duration, {@code
 * -Dboltwork.promise.seed=..} the times at which connections break.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class SlowRedisPromisesTest extends RedisPromiseTest {
    private static final long SECONDS = Long.getLong("boltwork.promise.seconds", 15);
    private static final long SEED = Long.getLong("boltwork.promise.seed", System.nanoTime());
    private static final int CLIENTS = 4;
    private static final int THREADS = 4;

    /** State shared by all threads, which only the lock makes exact. */
    private static final class Shared {
        int count;
        final List<Long> tokens = new ArrayList<>();

        void increment(long token) {
            int before = count;
            Thread.yield();
            count = before + 1;
            tokens.add(token);
        }
    }

    /** The observations of a thread. */
    private record Seen(int served, Duration longestWait) {}

    @TimedTest
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void exclusionAndWaitersSurviveASlowRedisAndBrokenConnections() {
        List<LockClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(far(ClientOptions.defaults(), Duration.ofSeconds(2)));
        }
        clients.add(near());
        inject(link.delay(Duration.ofMillis(50), Duration.ofMillis(50))); // in each direction
        System.out.println("promise 21: -Dboltwork.promise.seed=" + SEED);
        Random random = new Random(SEED);
        Shared shared = new Shared();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        List<Task<Seen>> tasks = new ArrayList<>();
        for (LockClient client : clients) {
            for (int k = 0; k < THREADS; k++) {
                tasks.add(start(() -> work(client.lock(name), shared, end)));
            }
        }
        int cuts = 0;
        while (System.nanoTime() < end) {
            pass(Duration.ofMillis(300 + random.nextInt(1_000)));
            link.cutOne(random).inject();
            cuts++;
        }
        int served = 0;
        Duration longest = Duration.ZERO;
        for (Task<Seen> task : tasks) {
            Seen seen = task.get(Duration.ofSeconds(60));
            served += seen.served();
            longest = longest.compareTo(seen.longestWait()) > 0 ? longest : seen.longestWait();
        }
        assertThat(shared.count).isEqualTo(served).isPositive();
        assertThat(shared.tokens).isSorted().doesNotHaveDuplicates().hasSize(served);
        measured(
                21,
                SECONDS + " s, " + cuts + " connections reset, " + served + " turns, the longest wait was over",
                longest,
                Duration.ofSeconds(30));
    }

    private static Seen work(FencedLock lock, Shared shared, long end) throws InterruptedException {
        int served = 0;
        Duration longest = Duration.ZERO;
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            assertThat(lock.tryLock(Slack.seconds(30).toMillis(), TimeUnit.MILLISECONDS))
                    .as("served")
                    .isTrue();
            Duration waited = since(start);
            longest = longest.compareTo(waited) > 0 ? longest : waited;
            shared.increment(lock.currentLease().orElseThrow().fencingToken());
            served++;
            lock.unlock();
        }
        return new Seen(served, longest);
    }
}
