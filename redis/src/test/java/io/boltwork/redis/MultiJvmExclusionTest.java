// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that several JVMs exclude each other: a counter in a shared file, which is not atomic itself, must be exact.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class MultiJvmExclusionTest {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration WORK = Duration.ofSeconds(60);
    private static final int THREADS = 3;

    /** JVM options for a faster start by less compilation. */
    private static final List<String> JVM_ARGS = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static RedisServer server;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> server);

    @TempDir
    Path directory;

    private Path file;
    private SharedCounter counter;
    private HistoryWriter history;

    @BeforeEach
    void createCounter() throws IOException {
        file = directory.resolve("counter");
        counter = SharedCounter.open(file);
        history = nothing.closing(HistoryWriter.open(directory, "test"));
    }

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void everyIncrementCountsAndTokensGrow() throws Exception {
        int rounds = 300;
        List<ChildJvm> workers = workers(rounds, rounds, rounds);
        go(workers);
        endWell(workers);
        assertThat(counter.value()).isEqualTo(3L * THREADS * rounds);
        assertThat(counter.tokens()).isSorted().doesNotHaveDuplicates().hasSize(3 * THREADS * rounds);
        assertThat(checked().holds()).isEqualTo(3 * THREADS * rounds);
    }

    @Test
    void aKilledHolderAndAKilledWaiterBlockNoOthers() throws Exception {
        int rounds = 200;
        ChildJvm holder = start("hold", 9, 0);
        String held = Objects.requireNonNull(holder.nextLine(START));
        assertThat(held).startsWith("held ");
        long token = Long.parseLong(held.substring(5));
        ChildJvm waiter = start("hold", 8, 0);
        awaitQueue(1);
        List<ChildJvm> workers = workers(rounds, rounds);
        go(workers);
        awaitQueue(3);
        assertThat(counter.value()).isZero();
        kill(waiter, LockingJvm.process("hold", 8));
        kill(holder, LockingJvm.process("hold", 9));
        long start = System.nanoTime();
        Await.until("a JVM works", () -> counter.value() > 0);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(LockingJvm.LEASE.plus(Slack.of(Duration.ofSeconds(2))));
        endWell(workers);
        assertThat(counter.value()).isEqualTo(2L * THREADS * rounds);
        assertThat(counter.tokens()).isSorted().doesNotHaveDuplicates().allMatch(later -> later > token);
        assertThat(checked().holds()).isEqualTo(1 + 2 * THREADS * rounds);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void noIncrementIsLostToAJvmKilledDuringItsWork() throws Exception {
        int rounds = 400;
        List<ChildJvm> all = workers(rounds, rounds, 1_000_000);
        List<ChildJvm> workers = all.subList(0, 2);
        ChildJvm victim = all.get(2);
        go(all);
        Await.until("all work", () -> counter.of(0) > 20 && counter.of(1) > 20 && counter.of(2) > 20);
        kill(victim, LockingJvm.process("work", 2));
        endWell(workers);
        long others = 2L * THREADS * rounds;
        long victims = counter.of(2); // it may have been killed between the sum and its own count
        assertThat(counter.value()).isBetween(others + victims, others + victims + 1);
        assertThat(counter.tokens()).isSorted().doesNotHaveDuplicates();
        assertThat((long) checked().holds()).isBetween(others + victims, others + victims + 1);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void sharesAreNeverExceededThoughJvmsAreKilledAndFrozen() throws Exception {
        List<ChildJvm> jvms = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jvms.add(start("turns", i, 0));
        }
        for (ChildJvm jvm : jvms) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        List<Integer> all = IntStream.range(0, LockingJvm.NAMES.size()).boxed().toList();
        TurnTakers.await(jvms, all, 10);
        kill(jvms.remove(0), LockingJvm.process("turns", 0));
        TurnTakers.await(jvms, all, 5);
        ChildJvm frozen = jvms.get(0);
        frozen.freeze();
        Thread.sleep(LockingJvm.LEASE.plusMillis(500).toMillis()); // past its leases, which is what is tested
        TurnTakers.await(jvms.subList(1, 2), all, 5);
        frozen.thaw();
        TurnTakers.await(jvms, all, 10);
        jvms.forEach(jvm -> jvm.send("stop"));
        endWell(jvms);
        assertThat(checked().holds()).isGreaterThan(3 * 10 * LockingJvm.NAMES.size());
    }

    /** The dining philosophers: each needs the forks at both sides, and shares each with a neighbour. */
    @Test
    @EnabledIfSystemProperty(
            named = "boltwork.proof",
            matches = "true",
            disabledReason = "minutes: -Dboltwork.proof=true")
    void philosophersInFiveJvmsAllEatThoughOneIsKilledAndOneFrozen() throws Exception {
        List<ChildJvm> jvms = new ArrayList<>();
        for (int i = 0; i < LockingJvm.PHILOSOPHERS; i++) {
            jvms.add(start("eat", i, 0));
        }
        for (ChildJvm jvm : jvms) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        TurnTakers.await(jvms, List.of(0), 20);
        kill(jvms.remove(0), LockingJvm.process("eat", 0));
        TurnTakers.await(jvms, List.of(0), 10);
        ChildJvm frozen = jvms.get(1);
        frozen.freeze();
        Thread.sleep(LockingJvm.LEASE.plusMillis(500).toMillis()); // past its leases, which is what is tested
        TurnTakers.await(List.of(jvms.get(0), jvms.get(2)), List.of(0), 10);
        frozen.thaw();
        TurnTakers.await(jvms, List.of(0), 20);
        jvms.forEach(jvm -> jvm.send("stop"));
        endWell(jvms);
        assertThat(checked().holds()).isGreaterThan(2 * LockingJvm.PHILOSOPHERS * 20);
    }

    private List<ChildJvm> workers(int... rounds) throws InterruptedException {
        List<ChildJvm> workers = new ArrayList<>();
        for (int i = 0; i < rounds.length; i++) {
            workers.add(start("work", i, rounds[i]));
        }
        for (ChildJvm worker : workers) {
            assertThat(worker.nextLine(START)).isEqualTo("ready");
        }
        return workers;
    }

    private ChildJvm start(String mode, int number, int rounds) {
        return nothing.closing(ChildJvm.start(
                LockingJvm.class,
                JVM_ARGS,
                List.of(
                        mode,
                        server.uri(),
                        file.toString(),
                        Integer.toString(number),
                        Integer.toString(THREADS),
                        Integer.toString(rounds),
                        directory.toString())));
    }

    private void kill(ChildJvm jvm, String process) {
        jvm.kill();
        history.killed(process);
    }

    /** Checks the histories after all JVMs have ended. */
    private Verdict checked() {
        Verdict verdict = HistoryChecker.checkEnded(History.read(directory)).orThrow();
        System.out.println("several JVMs: " + verdict);
        return verdict;
    }

    private static void go(List<ChildJvm> workers) {
        workers.forEach(worker -> worker.send("go"));
    }

    private static void endWell(List<ChildJvm> workers) {
        assertThat(workers)
                .allSatisfy(worker -> assertThat(worker.awaitExit(WORK)).isZero());
    }

    private void awaitQueue(int clients) {
        Await.until(clients + " clients wait", () -> {
            Object fields = server.command("HKEYS", "boltwork:{" + LockingJvm.LOCK + "}");
            return ((List<?>) Objects.requireNonNull(fields))
                            .stream()
                                    .filter(field -> field.toString().startsWith("r"))
                                    .count()
                    == clients;
        });
    }
}
