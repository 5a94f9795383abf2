// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Leadership;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The snippets of the API's Javadoc and of docs/run/operations.md behave as the text says. */
class ExamplesInDocsTest {
    private final RedisServer redis = RedisServer.start();
    private final LockClient locks = LockClient.create(
            RedisBackend.connect(redis.uri()), ClientOptions.defaults().withApplication("checkout"));
    private final LockClient elsewhere = LockClient.create(RedisBackend.connect(redis.uri()));
    private final FencedLock stock = locks.lock("stock:1001");
    private final FencedLock stockElsewhere = elsewhere.lock("stock:1001");
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ClassExamples examples = new ClassExamples(new Application());

    @AfterEach
    void close() {
        try (redis;
                locks;
                elsewhere) {
            events.clear();
        }
    }

    @Test
    void firstLockOfTheReadme() {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            FirstLock.main(redis.uri());
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).matches("Holds stock:1001, fencing token [1-9]\\d+\\R");
        assertThat(stockElsewhere.isLocked()).isFalse();
    }

    @Test
    void lockClient() {
        ClassExamples.lockClient();
    }

    @Test
    void anOrderEntersItsOwnHold() {
        assertThat(new OwnerExample(locks, 3).buy("42").toCompletableFuture().join())
                .isEqualTo("42, 2 left");
        assertThat(stockElsewhere.isLocked()).isFalse();
    }

    @Test
    void fencedLockExcludes() {
        examples.fencedLock(stock);
        assertThat(events).containsExactly("sell, held elsewhere: true");
        assertThat(stockElsewhere.isLocked()).isFalse();
    }

    @Test
    void aQuorumExcludes() throws InterruptedException {
        List<MemoryServer> servers =
                Stream.generate(MemoryServer::create).limit(3).toList();
        servers.forEach(server -> server.execute(new Witness(
                server.time().run(),
                ClassExamples.quorumOptions().longestLease().toMillis() * 2)));
        examples.quorumBackend(
                MemoryBackend.on(servers.get(0)), MemoryBackend.on(servers.get(1)), MemoryBackend.on(servers.get(2)));
        assertThat(events).hasSize(1);
    }

    @Test
    void readersHoldTheReadLock() {
        FencedReadWriteLock prices = elsewhere.readWriteLock("prices");
        List<Boolean> writable = new ArrayList<>();
        Map<String, String> cache = new HashMap<>() {
            @Override
            public String get(Object product) {
                writable.add(prices.writeLock().tryLock());
                return super.get(product);
            }
        };
        cache.put("apple", "40");
        assertThat(ClassExamples.readWriteLock(locks, cache, "apple")).isEqualTo("40");
        assertThat(writable).containsExactly(false);
        assertThat(prices.readLock().isLocked()).isFalse();
    }

    @Test
    void aTransferHoldsBothAccounts() {
        List<Boolean> free = new ArrayList<>();
        ClassExamples.multiLock(locks, (from, to) -> {
            assertThat(from).isPositive();
            assertThat(to).isPositive();
            free.add(elsewhere.lock("account:1").tryLock());
            free.add(elsewhere.lock("account:2").tryLock());
        });
        assertThat(free).containsExactly(false, false);
        assertThat(elsewhere.lock("account:1").isLocked()).isFalse();
    }

    @Test
    void anImportWaitsForItsWorkers() throws InterruptedException {
        assertThat(ClassExamples.latch(locks, List.of("a", "b"), Runnable::run)).isTrue();
        assertThat(elsewhere.latch("import:2026-11").count()).isZero();
    }

    @Test
    void uploadsHoldAPermit() {
        LeasedSemaphore uploads = elsewhere.semaphore("uploads", 3);
        List<Integer> free = new ArrayList<>();
        ClassExamples.semaphore(locks, () -> free.add(uploads.availablePermits()));
        assertThat(free).containsExactly(2);
        assertThat(uploads.availablePermits()).isEqualTo(3);
    }

    @Test
    void leaseGivesItsToken() {
        examples.lease(stock, new Application(), "row");
        assertThat(events).singleElement().asString().matches("write row [1-9]\\d+");
    }

    @Test
    void cancelledAcquireAsyncLeavesNoTrace() throws Exception {
        assertThat(ClassExamples.acquireAsync(stock)).hasValueSatisfying(Lease::release);
        try (Lease taken = stockElsewhere.acquire()) {
            assertThat(ClassExamples.acquireAsync(stock)).isEmpty();
            assertThat(taken.isValid()).isTrue();
            Await.until(
                    "the wish is withdrawn",
                    () -> locks.inspector().describe("stock:1001").queue().isEmpty());
        }
        assertThat(stockElsewhere.isLocked()).isFalse();
    }

    @Test
    void lockOptions() {
        assertThat(ClassExamples.lockOptions())
                .hasToString("renewed lease of 30 s, held at most 2 h, taken at least 5 min, on loss NOTIFY");
    }

    @Test
    void replication() {
        FencedLock payout = ClassExamples.replication(locks);
        assertThat(payout).asString().contains("on at least 1 replica within 200 ms");
        assertThatThrownBy(payout::lock)
                .as("on a server without replicas")
                .hasMessageContaining("Only 0 of the 1 replicas");
    }

    @Test
    void lockListenerIsToldOfALoss() {
        examples.lockListener(locks);
        stock.lock(Duration.ofMillis(20));
        Await.until("one event has arrived", () -> events.size() == 1);
        assertThat(events)
                .singleElement()
                .asString()
                .startsWith("alarm: lock lost: Lost[kind=LOCK, lockName=stock:1001");
        assertThatThrownBy(stock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void lockInspectorPrints() {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (Lease lease = stock.acquire()) {
            ClassExamples.lockInspector(elsewhere);
            assertThat(printed.toString(StandardCharsets.UTF_8))
                    .contains("stock:1001 HELD by checkout@", "fencing token " + lease.fencingToken());
        } finally {
            System.setOut(out);
        }
    }

    @Test
    void reportsStopBeforeAnotherLeads() {
        ClassExamples.Reports reports = new ClassExamples.Reports() {
            @Override
            public void start(long token) {
                events.add("start");
            }

            @Override
            public void stop() {
                events.add("stop, held: " + elsewhere.lock("reports").isLocked());
            }
        };
        try (Leadership leadership = ClassExamples.leadership(locks, reports)) {
            Await.until("it leads", () -> events.contains("start"));
            assertThat(leadership.isLeader()).isTrue();
        }
        assertThat(events).containsExactly("start", "stop, held: true");
        assertThat(elsewhere.lock("reports").isLocked()).isFalse();
    }

    @Test
    void outcomesAreShown() throws Exception {
        assertThat(PackageTour.outcomes(stock, () -> events.add("purchase"))).isEqualTo("sold");
        assertThat(PackageTour.outcomes(stock, () -> elsewhere.inspector().forceRelease("stock:1001")))
                .isEqualTo("check it: TAKEN");
        try (Lease taken = stockElsewhere.acquire()) {
            assertThat(PackageTour.outcomes(stock, () -> events.add("purchase")))
                    .isEqualTo("busy");
            assertThat(taken.isValid()).isTrue();
        }
        redis.freeze();
        try {
            assertThat(PackageTour.outcomes(stock, () -> events.add("purchase")))
                    .isEqualTo("try later");
        } finally {
            redis.thaw();
        }
        assertThat(events).containsExactly("purchase");
    }

    @Test
    void optionsOfThePackage() {
        FencedLock careful = PackageTour.options(locks);
        try (Lease lease = careful.acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(stockElsewhere.isLocked()).isTrue();
        }
    }

    @Test
    void memoryFollowsTheSameRules() {
        assertThat(PackageTour.memory()).containsExactly(true, true);
    }

    @Test
    void operationsCoolsDown() {
        Duration quiet = Duration.ofMinutes(1);
        MemoryServer server = MemoryServer.create();
        try (LockClient here = LockClient.create(MemoryBackend.on(server));
                LockClient there = LockClient.create(MemoryBackend.on(server))) {
            assertThat(Operations.firstFor(here, "mail", quiet)).isTrue();
            assertThat(Operations.firstFor(here, "mail", quiet)).isFalse();
            assertThat(Operations.firstFor(there, "mail", quiet)).isFalse();
            server.advance(quiet.plusSeconds(1));
            assertThat(Operations.firstFor(there, "mail", quiet)).isTrue();
        }
    }

    private final class Application implements ClassExamples.Application {
        @Override
        public void sell() {
            events.add("sell, held elsewhere: " + stockElsewhere.isLocked());
        }

        @Override
        public void write(String row, long token) {
            events.add("write " + row + " " + token);
        }

        @Override
        public void abort(LeaseLoss loss) {
            events.add("abort " + loss.reason());
        }

        @Override
        public void alarm(String text) {
            events.add("alarm: " + text);
        }
    }
}
