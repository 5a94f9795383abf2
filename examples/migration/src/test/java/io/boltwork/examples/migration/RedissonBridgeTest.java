// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.MultiLock;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.NameMapper;

/** Locks that Redisson 4.7.0 and Boltwork share on one Redis, as each side sees them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedissonBridgeTest {
    private static final LockOptions SHORT = LockOptions.renewedLease(Duration.ofSeconds(3));

    private SharedRedis site;
    private LockClient here;
    private LockClient elsewhere;
    private String name;

    @BeforeAll
    void open() {
        site = new SharedRedis();
        here = bridged(site.redis);
        elsewhere = bridged(site.redis);
    }

    @AfterAll
    void close() {
        here.close();
        elsewhere.close();
        site.close();
    }

    @BeforeEach
    void choose(TestInfo test) {
        name = test.getTestMethod().orElseThrow().getName();
    }

    private static LockClient bridged(RedisServer redis) {
        return LockClient.create(
                RedisBackend.connect(redis.uri(), RedisOptions.defaults().withBridge(Bridge.redisson())));
    }

    private RLock old() {
        return site.redisson.getLock(name);
    }

    private Object key(String command, String... more) {
        String[] words = new String[2 + more.length];
        words[0] = command;
        words[1] = name;
        System.arraycopy(more, 0, words, 2, more.length);
        return site.redis.command(words);
    }

    private boolean isQueued(int requests) {
        return here.inspector().describe(name).queue().size() == requests;
    }

    // ---------------------------------------------------------------- exclusion and waking up

    @Test
    void eachSideExcludesTheOther() {
        FencedLock lock = here.lock(name);
        old().lock();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.isLocked()).isTrue();
        old().unlock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(old().tryLock()).isFalse();
        assertThat(old().isLocked()).isTrue();
        lock.lock();
        lock.unlock();
        assertThat(old().tryLock()).as("one level is left").isFalse();
        lock.unlock();
        assertThat(old().tryLock()).isTrue();
        old().unlock();
        assertThat(key("EXISTS")).isEqualTo(0L);
    }

    @Test
    void membersOfAMultiLockAreShared() {
        RLock both = site.redisson.getMultiLock(old(), site.redisson.getLock(name + ":2"));
        both.lock();
        assertThat(here.lock(name).tryLock()).isFalse();
        assertThat(here.lock(name + ":2").tryLock()).isFalse();
        both.unlock();
        MultiLock members = here.multiLock(here.lock(name), here.lock(name + ":2"));
        members.lock();
        assertThat(old().isLocked()).isTrue();
        assertThat(site.redisson.getLock(name + ":2").isLocked()).isTrue();
        members.unlock();
    }

    @Test
    void aMappedNameIsTheNameInRedis() {
        RedissonClient mapping = site.redisson(new NameMapper() {
            @Override
            public String map(String name) {
                return "shop:" + name;
            }

            @Override
            public String unmap(String name) {
                return name.substring("shop:".length());
            }
        });
        try {
            RLock mapped = mapping.getLock(name);
            mapped.lock();
            assertThat(here.lock("shop:" + name).tryLock()).isFalse();
            mapped.unlock();
            try (Lease lease = here.lock("shop:" + name).acquire()) {
                assertThat(lease.isValid()).isTrue();
                assertThat(mapped.tryLock()).isFalse();
            }
        } finally {
            mapping.shutdown();
        }
    }

    @Test
    void anUnlockOfRedissonWakesAWaiterOfBoltwork() {
        for (int i = 0; i < 20; i++) {
            old().lock();
            Task<Long> waiter = Task.start("waiter", () -> {
                here.lock(name).lock();
                long when = System.nanoTime();
                here.lock(name).unlock();
                return when;
            });
            Await.until("it waits, and listens", () -> isQueued(1) && listeners("boltwork:bridge:{") == 1);
            long freed = System.nanoTime();
            old().unlock();
            Duration took = Duration.ofNanos(waiter.get() - freed);
            assertThat(took).as("turn %d", i).isLessThan(Slack.of(Duration.ofMillis(500)));
        }
    }

    @Test
    void anUnlockOfBoltworkWakesAWaiterOfRedisson() {
        for (int i = 0; i < 20; i++) {
            Lease lease = here.lock(name).acquire();
            Task<Long> waiter = Task.start("waiter", () -> {
                old().lock();
                long when = System.nanoTime();
                old().unlock();
                return when;
            });
            Await.until("it listens", () -> listeners() == 1);
            long freed = System.nanoTime();
            lease.release();
            Duration took = Duration.ofNanos(waiter.get() - freed);
            assertThat(took).as("turn %d", i).isLessThan(Slack.of(Duration.ofMillis(500)));
        }
    }

    /** Returns the number of clients of Redisson that listen for the lock. */
    private long listeners() {
        return listeners("redisson_lock__channel:{") - listeners("boltwork:bridge:{");
    }

    private long listeners(String channel) {
        List<?> counted = (List<?>) site.redis.command("PUBSUB", "NUMSUB", channel + name + "}");
        return (Long) counted.get(1);
    }

    @Test
    void aClaimThatLapsesWakesRedissonToo(@TempDir Path directory) throws Exception {
        try (ChildJvm frozen = ChildJvm.start(
                BridgeJvm.class,
                "boltwork",
                site.redis.uri(),
                name,
                "1",
                directory.resolve("holds").toString(),
                "0")) {
            awaitLine(frozen, "ready");
            Lease lease = here.lock(name).acquire(); // for 30 s, which Redisson reads as its time to sleep
            frozen.send("begin");
            Await.until("it waits", () -> isQueued(1));
            frozen.freeze(); // its connections stay, so the grant counts as heard
            Task<Duration> waiter = Task.start("waiter", () -> {
                long start = System.nanoTime();
                assertThat(old().tryLock(25, TimeUnit.SECONDS)).isTrue();
                return Duration.ofNanos(System.nanoTime() - start);
            });
            Await.until("Redisson listens", () -> listeners() == 1);
            lease.release();
            assertThat(waiter.get(Slack.seconds(20))).isLessThan(Slack.seconds(10)); // a claim lasts for 3 s
        }
    }

    private static void awaitLine(ChildJvm jvm, String line) throws InterruptedException {
        String said = jvm.nextLine(Slack.seconds(60));
        while (said != null && !said.equals(line)) { // the log of Redisson
            said = jvm.nextLine(Slack.seconds(60));
        }
        assertThat(said).isEqualTo(line);
    }

    @Test
    void neitherSideStarvesTheOther() throws Exception {
        int ours = 8;
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        List<Task<Integer>> boltwork = IntStream.range(0, ours)
                .mapToObj(i -> Task.start("boltwork-" + i, () -> {
                    FencedLock lock = (i % 2 == 0 ? here : elsewhere).lock(name);
                    int turns = 0;
                    while (System.nanoTime() < end) {
                        lock.lock();
                        turns++;
                        lock.unlock();
                    }
                    return turns;
                }))
                .toList();
        Task<Integer> redisson = Task.start("redisson", () -> {
            int turns = 0;
            while (System.nanoTime() < end) {
                old().lock();
                turns++;
                old().unlock();
            }
            return turns;
        });
        int theirTurns = redisson.get(Slack.seconds(30));
        int ourTurns =
                boltwork.stream().mapToInt(task -> task.get(Slack.seconds(30))).sum();
        System.out.println("bridge: 8 threads of Boltwork had " + ourTurns + " turns, 1 of Redisson " + theirTurns);
        assertThat(theirTurns).isGreaterThan(20);
        assertThat(ourTurns).isGreaterThan(20);
    }

    @Test
    void locksThatAreNotReentrantAreSharedToo() {
        FencedLock lock = here.lock(name);
        RLock other = site.redisson.getNonReentrantLock(name);
        other.lock();
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
        Lease lease = lock.acquire();
        assertThat(other.tryLock()).isFalse();
        Task<Boolean> waiter = Task.start("waiter", () -> {
            other.lock();
            other.unlock();
            return true;
        });
        Await.until("it listens", () -> listeners() == 1);
        lease.release();
        assertThat(waiter.get(Slack.seconds(3))).isTrue();
    }

    @Test
    void aSpinLockIsExcludedAndLooksForItself() throws Exception {
        FencedLock lock = here.lock(name);
        RLock spin = site.redisson.getSpinLock(name);
        spin.lock();
        assertThat(lock.tryLock()).isFalse();
        spin.unlock();
        Lease lease = lock.acquire();
        assertThat(spin.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
        lease.release();
        assertThat(spin.tryLock(10, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.tryLock()).isFalse();
        spin.unlock();
    }

    @Test
    void fifoWaitersAndConditionsWorkOnTheBridge() throws Exception {
        FencedLock lock = here.lock(name, LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO));
        Condition full = lock.condition("full");
        Task<Boolean> waiter = Task.start("waiter", () -> {
            lock.lock();
            try {
                return full.await(10, TimeUnit.SECONDS);
            } finally {
                lock.unlock();
            }
        });
        Await.until(
                "it waits for the signal",
                () -> site.redis
                        .command("HEXISTS", "boltwork:{" + name + "}", "c:full")
                        .equals(1L));
        old().lock();
        old().unlock();
        lock.lock();
        full.signal();
        lock.unlock();
        assertThat(waiter.get()).isTrue();
    }

    // ---------------------------------------------------------------- losses

    @Test
    void forceUnlockOfRedissonIsALoss() throws Exception {
        Lease lease = here.lock(name, SHORT).acquire();
        assertThat(old().forceUnlock()).isTrue();
        lease.whenLost().toCompletableFuture().get(Slack.seconds(3).toMillis(), TimeUnit.MILLISECONDS);
        assertThat(old().tryLock()).isTrue();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(old().isHeldByCurrentThread())
                .as("the late release changed nothing")
                .isTrue();
        old().unlock();
    }

    @Test
    void aLossIsFoundEarlierByAClientThatAsks() throws Exception {
        Lease lease = here.lock(name).acquire();
        old().forceUnlock();
        try (Lease next = elsewhere.lock(name).tryAcquire().orElseThrow()) {
            lease.whenLost().toCompletableFuture().get(Slack.seconds(1).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
    }

    @Test
    void aFlushIsALossAndNothingIsRestored() throws Exception {
        Lease lease = here.lock(name, SHORT).acquire();
        site.redis.command("DEL", name, "boltwork:{" + name + "}");
        old().lock();
        old().unlock();
        lease.whenLost().toCompletableFuture().get(Slack.seconds(3).toMillis(), TimeUnit.MILLISECONDS);
        assertThat(key("EXISTS")).isEqualTo(0L);
        try (Lease next = elsewhere.lock(name).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
    }

    @Test
    void aRecordThatWasEvictedLeavesRedissonsKeyUntilItEnds() throws Exception {
        Lease lease = here.lock(name, SHORT).acquire();
        site.redis.command("DEL", "boltwork:{" + name + "}");
        lease.whenLost().toCompletableFuture().get(Slack.seconds(3).toMillis(), TimeUnit.MILLISECONDS);
        assertThat(old().tryLock(10, TimeUnit.SECONDS)).isTrue();
        old().unlock();
    }

    @Test
    void aHoldOfRedissonCountsUntilItsKeyEnds() throws Exception {
        old().lock(1_500, TimeUnit.MILLISECONDS); // nothing renews it
        long start = System.nanoTime();
        assertThat(here.lock(name).tryLock(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(1_400), Slack.seconds(3));
        assertThatThrownBy(() -> old().unlock()).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(here.lock(name).isHeldByCurrentThread()).isTrue();
        here.lock(name).unlock();
    }

    @Test
    void renewalsExtendBothKeys() {
        try (Lease lease = here.lock(name, SHORT).acquire()) {
            long first = until();
            Await.until("it would have ended without renewals", () -> until() >= first + 3_000);
            assertThat(lease.isValid()).isTrue();
            assertThat(old().tryLock()).isFalse();
            assertThat(Math.abs((Long) key("PTTL") - remaining())).isLessThan(100);
        }
    }

    /** Returns the end of the lease by the server's clock, in milliseconds. */
    private long until() {
        return Long.parseLong((String) site.redis.command("HGET", "boltwork:{" + name + "}", "until"));
    }

    private long remaining() {
        List<?> time = (List<?>) site.redis.command("TIME");
        return until() - Long.parseLong((String) time.get(0)) * 1_000 - Long.parseLong((String) time.get(1)) / 1_000;
    }

    // ---------------------------------------------------------------- tokens, records, force release

    @Test
    void tokensOfBothSidesGrowTogether() {
        RFencedLock fenced = site.redisson.getFencedLock(name);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            long theirs = fenced.lockAndGetToken();
            assertThat(theirs).isGreaterThan(last);
            fenced.unlock();
            try (Lease lease = here.lock(name).acquire()) {
                assertThat(lease.fencingToken()).isGreaterThan(theirs);
                last = lease.fencingToken();
            }
        }
    }

    @Test
    void theInspectorShowsAHolderOfRedisson() {
        old().lock();
        LockInfo seen = here.inspector().describe(name);
        assertThat(seen.state()).isEqualTo(LockSummary.State.HELD);
        assertThat(seen.holders()).hasSize(1);
        assertThat(seen.holders().get(0).request())
                .endsWith(":" + Thread.currentThread().getId());
        assertThat(seen.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        System.out.println(seen);
        assertThat(here.inspector().forceRelease(name)).isTrue();
        assertThat(key("EXISTS")).isEqualTo(0L);
        assertThat(old().isHeldByCurrentThread()).isFalse();
        assertThat(here.inspector().describe(name).state()).isEqualTo(LockSummary.State.FREE);
    }

    @Test
    void aForceReleaseFreesBothKeys() throws Exception {
        Lease lease = here.lock(name).acquire();
        assertThat(elsewhere.inspector().forceRelease(name)).isTrue();
        lease.whenLost().toCompletableFuture().get(Slack.seconds(1).toMillis(), TimeUnit.MILLISECONDS);
        assertThat(old().tryLock()).isTrue();
        old().unlock();
    }

    // ---------------------------------------------------------------- what is refused

    @Test
    void aClientWithoutTheBridgeIsRefused() {
        here.lock(name).lock();
        here.lock(name).unlock();
        FencedLock plain = site.locks.lock(name);
        assertThatThrownBy(plain::tryLock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("RedisOptions.withBridge");
        assertThatThrownBy(() -> site.locks.inspector().forceRelease(name))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("RedisOptions.withBridge");
        assertThat(here.lock(name).tryLock()).isTrue();
        here.lock(name).unlock();
    }

    @Test
    void aLockThatAClientWithoutTheBridgeUsesIsRefused() {
        try (Lease lease = site.locks.lock(name).acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThatThrownBy(here.lock(name)::tryLock)
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("without the bridge");
        }
        assertThat(here.lock(name).tryLock()).isTrue();
        here.lock(name).unlock();
    }

    @Test
    void otherKindsOfRedissonAreRefused() {
        site.redisson.getReadWriteLock(name).readLock().lock();
        assertThatThrownBy(here.lock(name)::tryLock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("cannot be shared with Redisson");
        site.redisson.getReadWriteLock(name).readLock().unlock();
        site.redisson.getSemaphore(name).trySetPermits(3);
        assertThatThrownBy(here.lock(name)::tryLock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("cannot be shared with Redisson");
        site.redisson.getSemaphore(name).delete();
        assertThat(here.lock(name).tryLock()).isTrue();
        here.lock(name).unlock();
    }

    @Test
    void retentionIsRefused() {
        LockOptions retained = LockOptions.renewedLease(Duration.ofSeconds(5)).withRetention(Duration.ofSeconds(1));
        assertThatThrownBy(here.lock(name, retained)::lock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("cannot be retained, because it is shared with Redisson");
    }

    @Test
    void aFairLockWithWaitersIsRefused() throws Exception {
        RLock fair = site.redisson.getFairLock(name);
        fair.lock();
        Task<Boolean> waiter = Task.start("fair", () -> {
            fair.lock();
            fair.unlock();
            return true;
        });
        Await.until(
                "it waits",
                () -> site.redis
                        .command("EXISTS", "redisson_lock_queue:{" + name + "}")
                        .equals(1L));
        assertThatThrownBy(here.lock(name)::tryLock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("cannot be shared with Redisson");
        fair.unlock();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void otherKindsOfBoltworkAreRefused() {
        assertThatThrownBy(() -> here.semaphore(name, 3).tryAcquire())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("Bridge.withNames");
        assertThatThrownBy(() -> here.readWriteLock(name).readLock().tryLock())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("Bridge.withNames");
        assertThatThrownBy(() -> here.latch(name).trySetCount(2))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("Bridge.withNames");
        assertThatThrownBy(here.lock("a{b}")::tryLock)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("must not be empty or contain {, } or %");
    }

    @Test
    void onlyTheNamesOfTheBridgeAreShared() {
        Bridge some = Bridge.redisson().withNames("orders:*", name);
        try (LockClient client = LockClient.create(
                RedisBackend.connect(site.redis.uri(), RedisOptions.defaults().withBridge(some)))) {
            Optional<Lease> shared = client.lock("orders:7").tryAcquire();
            Optional<Lease> own = client.lock("coupons:7").tryAcquire();
            assertThat(site.redisson.getLock("orders:7").tryLock()).isFalse();
            assertThat(site.redisson.getLock("coupons:7").tryLock()).isTrue();
            site.redisson.getLock("coupons:7").unlock();
            shared.orElseThrow().release();
            own.orElseThrow().release();
        }
        assertThatThrownBy(() -> Bridge.redisson().withNames())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("patterns must not be empty");
    }
}
