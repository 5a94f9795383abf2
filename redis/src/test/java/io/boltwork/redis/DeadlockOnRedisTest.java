// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that clients of a real server find a cycle of their threads by the records that they publish there. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DeadlockOnRedisTest {

    /** Longer than the 30 s in which the cycle of two clients is reported. */
    private static final Duration REPORTED = Duration.ofSeconds(60);

    /** A client, and a thread of it that takes two locks. */
    private static final class Party implements AutoCloseable {
        final List<LockListener.Deadlock> deadlocks = new CopyOnWriteArrayList<>();
        private final LockClient client;
        private final Thread thread;

        Party(LockBackend backend, String name, String first, String second, CountDownLatch met) {
            client = LockClient.create(backend, ClientOptions.defaults().withApplication("application-" + name));
            client.addListener(new LockListener() {
                @Override
                public void deadlock(Deadlock event) {
                    deadlocks.add(event);
                }
            });
            thread = new Thread(() -> lockBoth(client.lock(first), client.lock(second), met), name);
            thread.start();
        }

        private static void lockBoth(FencedLock first, FencedLock second, CountDownLatch met) {
            first.lock();
            met.countDown();
            try {
                met.await();
                second.lock();
            } catch (LockException | InterruptedException closed) {
                // the end of the test
            }
        }

        /** Returns the only cycle, as text. */
        List<String> cycle() {
            assertThat(deadlocks).hasSize(1);
            assertThat(deadlocks.get(0).certain()).as("certain").isTrue();
            return deadlocks.get(0).cycle().stream()
                    .map(wait -> wait.waiter() + " wants " + wait.lockName())
                    .toList();
        }

        @Override
        public void close() {
            client.close();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void aCycleOfTwoClientsIsReportedByBoth() {
        try (RedisServer redis = RedisServer.start()) {
            bothReport(() -> RedisBackend.connect(redis.uri()));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
    void aCycleOfTwoClientsOfAClusterIsReportedByBoth() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterSite.PATIENT)) {
            bothReport(() -> RedisBackend.connectCluster(group.uris()));
        }
    }

    private static void bothReport(Supplier<LockBackend> backends) {
        CountDownLatch met = new CountDownLatch(2);
        try (Party one = new Party(backends.get(), "one", "stock", "coupons", met);
                Party two = new Party(backends.get(), "two", "coupons", "stock", met)) {
            List<Party> parties = new ArrayList<>(List.of(one, two));
            Await.within(REPORTED, "both report the cycle", () -> {
                parties.removeIf(party -> !party.deadlocks.isEmpty());
                return parties.isEmpty();
            });
            assertThat(one.cycle()).hasSize(2).contains("thread 'one' wants coupons");
            assertThat(two.cycle()).hasSize(2).contains("thread 'two' wants stock");
            assertThat(one.deadlocks.get(0).cycle().get(1).waiter()).contains("application-two");
        }
    }
}
