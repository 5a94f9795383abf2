// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.ServerCounters;
import io.boltwork.bench.job.BenchServers;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.scenario.OneThread;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that each contender excludes, and that the bench counts its commands correctly. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ContendersTest {
    private static final Duration TIME = Duration.ofMillis(150);
    private static final Duration INSIDE = Duration.ofNanos(20_000);
    private static final int PAIRS = 5;

    /** The number of looks without a new command after which all have arrived. */
    private static final int LOOKS = 5;

    private static final Map<BenchDeployment, BenchServers> ALL = new EnumMap<>(BenchDeployment.class);

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        for (BenchDeployment deployment : BenchDeployment.STANDALONE.onSamePage()) {
            ALL.put(deployment, BenchServers.start(deployment));
        }
    }

    @AfterAll
    static void stop() {
        ALL.values().forEach(BenchServers::close);
    }

    @ParameterizedTest
    @MethodSource("all")
    void lockExcludesAndTurnsAreCountedCorrectly(BenchDeployment deployment, Entrant entrant) throws Exception {
        BenchServers servers = ALL.get(deployment);
        try (Contender contender = entrant.open(new Setting(deployment, servers.uris()))) {
            if (!entrant.isFloor()) {
                excludes(contender);
            }
            countsAreCorrect(entrant, () -> contender.lock("counted"), servers);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Entrant.class,
            names = {"BOLTWORK", "BOLTWORK_FIFO", "REDISSON_READ_WRITE"})
    void readersExcludeWritersOnlyAndAreCountedCorrectly(Entrant entrant) throws Exception {
        BenchServers servers = ALL.get(BenchDeployment.STANDALONE);
        try (Contender contender = entrant.open(new Setting(BenchDeployment.STANDALONE, servers.uris()))) {
            assertThat(Loads.violations(contender, directory, TIME, INSIDE, Map.of(LoadJob.READS, 15L)))
                    .isZero();
            excludes(() -> contender.writeLock("held"), () -> contender.readLock("held"));
            excludes(() -> contender.readLock("held"), () -> contender.writeLock("held"));
            BenchLock reader = contender.readLock("held");
            reader.lock();
            assertThat(isFree(() -> contender.readLock("held"))).isTrue();
            reader.unlock();
            countsAreCorrect(entrant, () -> contender.readLock("counted"), servers);
            countsAreCorrect(entrant, () -> contender.writeLock("counted"), servers);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Entrant.class,
            names = {"BOLTWORK", "BOLTWORK_FIFO", "REDISSON_SEMAPHORE", "REDISSON_EXPIRING"})
    void thereAreNeverTooManyPermitsAndTheyAreCountedCorrectly(Entrant entrant) throws Exception {
        BenchServers servers = ALL.get(BenchDeployment.STANDALONE);
        try (Contender contender = entrant.open(new Setting(BenchDeployment.STANDALONE, servers.uris()))) {
            assertThat(Loads.violations(contender, directory, TIME, INSIDE, Map.of(LoadJob.PERMITS, 2L)))
                    .isZero();
            Supplier<BenchLock> permit = () -> contender.permit(entrant + " held", 2);
            BenchLock one = permit.get();
            one.lock();
            assertThat(isFree(permit)).isTrue();
            excludes(permit, permit);
            assertThat(one.isHeld()).isTrue();
            one.unlock();
            countsAreCorrect(entrant, () -> contender.permit(entrant + " counted", 1), servers);
        }
    }

    private void excludes(Contender contender) throws Exception {
        assertThat(Loads.violations(contender, directory, TIME, INSIDE)).isZero();
        excludes(() -> contender.lock("held"), () -> contender.lock("held"));
    }

    static void excludes(Supplier<BenchLock> holder, Supplier<BenchLock> other) throws Exception {
        BenchLock lock = holder.get();
        lock.lock();
        assertThat(isFree(other)).isFalse();
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofSeconds(5))).isTrue();
        lock.unlock();
    }

    /** Returns whether another thread gets the lock, which gives it back. */
    private static boolean isFree(Supplier<BenchLock> lock) throws Exception {
        CompletableFuture<Boolean> free = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                BenchLock other = lock.get();
                boolean got = other.tryLock(Duration.ofMillis(200));
                if (got) {
                    other.unlock();
                }
                free.complete(got);
            } catch (Exception e) {
                free.completeExceptionally(e);
            }
        });
        thread.start();
        boolean is = free.get(20, TimeUnit.SECONDS);
        thread.join();
        return is;
    }

    /** Compares the counts from INFO with a monitor, which distinguishes clients from scripts. */
    private static void countsAreCorrect(Entrant entrant, Supplier<BenchLock> locks, BenchServers servers)
            throws Exception {
        BenchLock lock = locks.get();
        pairs(lock);
        List<Monitor> monitors = new ArrayList<>();
        try {
            for (RedisServer server : servers.all()) {
                monitors.add(new Monitor(server));
            }
            List<ServerCounters> before = servers.counters();
            pairs(lock);
            if (!entrant.isFloor()) {
                handOver(lock, locks.get());
            }
            awaitAllCommands(monitors);
            ServerCounters used = ServerCounters.since(before, servers.counters());
            List<Monitor.Command> seen = monitors.stream()
                    .flatMap(monitor -> monitor.betweenInfos().stream())
                    .toList();
            assertThat(used.requests(entrant))
                    .as("%s, seen %s", used.calls(), seen)
                    .isEqualTo(count(seen, false));
            assertThat(used.commands(entrant)).isEqualTo(count(seen, true));
            assertThat(used.requests(entrant)).isGreaterThanOrEqualTo(2.0 * PAIRS);
            if (servers.all().size() > 1 && entrant.isPeer()) { // as stated on the page
                assertThat(used.calls()).containsKey("spublish").doesNotContainKey("publish");
            }
        } finally {
            for (Monitor monitor : monitors) {
                monitor.close();
            }
        }
    }

    /** Waits for late commands, because Redisson does not wait for the last command of an unlock. */
    private static void awaitAllCommands(List<Monitor> monitors) {
        List<Integer> looks = new ArrayList<>();
        Await.until("all commands have arrived", () -> {
            looks.add(monitors.stream().mapToInt(Monitor::received).sum());
            return looks.size() > LOOKS
                    && Set.copyOf(looks.subList(looks.size() - LOOKS, looks.size()))
                                    .size()
                            == 1;
        });
    }

    private static double count(List<Monitor.Command> seen, boolean fromScript) {
        return seen.stream()
                .filter(command -> command.fromScript() == fromScript)
                .count();
    }

    /** Hands the lock from one thread to another one that waits for it. */
    private static void handOver(BenchLock lock, BenchLock another) throws InterruptedException {
        Thread other = new Thread(() -> {
            another.lock();
            another.unlock();
        });
        lock.lock();
        other.start();
        Thread.sleep(30); // long enough for contenders to retry or subscribe
        lock.unlock();
        other.join();
    }

    private static void pairs(BenchLock lock) {
        for (int i = 0; i < PAIRS; i++) {
            lock.lock();
            lock.unlock();
        }
    }

    private static Stream<Arguments> all() {
        return BenchDeployment.STANDALONE.onSamePage().stream()
                .flatMap(deployment -> OneThread.withFloors().stream()
                        .filter(entrant -> entrant.isOn(deployment))
                        .map(entrant -> Arguments.of(deployment, entrant)));
    }
}
