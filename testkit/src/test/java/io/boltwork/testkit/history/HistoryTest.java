// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recording and reading histories, also those of killed processes. */
class HistoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @AutoClose
    final LockClient client = LockClient.create(MemoryBackend.on(MemoryServer.create()));

    /** Returns the recorded events without times, threads and tokens. */
    private List<String> recorded() {
        return History.read(directory).events().stream()
                .map(event -> Event.word(event.action()) + " " + Event.word(event.type()))
                .toList();
    }

    // ================================================================ recording

    @Test
    void acquisitionsAndReleasesAreRecordedAroundTheirCalls() throws InterruptedException {
        try (HistoryWriter history = HistoryWriter.open(directory, "a")) {
            FencedLock lock = history.recorded(client.lock("x"));
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            lock.unlock();
            lock.acquire().release();
            lock.withOptions(LockOptions.defaults()).run(Duration.ZERO, () -> {});
        }
        assertThat(recorded())
                .containsExactly(
                        "acquire invoke",
                        "acquire ok",
                        "acquire invoke",
                        "acquire ok",
                        "release invoke",
                        "release ok",
                        "release invoke",
                        "release ok",
                        "acquire invoke",
                        "acquire ok",
                        "release invoke",
                        "release ok",
                        "acquire invoke",
                        "acquire ok",
                        "release invoke",
                        "release ok");
        assertThat(HistoryChecker.checkEnded(History.read(directory)).orThrow().holds())
                .isEqualTo(3);
    }

    @Test
    void refusalsLossesAndChecksAreRecorded() throws InterruptedException {
        try (HistoryWriter history = HistoryWriter.open(directory, "a")) {
            FencedLock lock = history.recorded(client.lock("x", LockOptions.renewedLease(Duration.ofMillis(500))));
            Lease lease = lock.acquire();
            assertThat(lease.isValid()).isTrue();
            Task.start("other", () -> assertThat(lock.tryLock()).isFalse()).get();
            client.inspector().forceRelease("x");
            Await.until("the lease is lost", () -> !lease.isValid());
            assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            lease.release();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        }
        assertThat(recorded().stream().distinct())
                .containsExactly(
                        "acquire invoke",
                        "acquire ok",
                        "check ok",
                        "acquire fail",
                        "check fail",
                        "release invoke",
                        "release fail");
        HistoryChecker.checkEnded(History.read(directory)).orThrow();
    }

    @Test
    void aCallThatThrowsAnotherExceptionIsUnknown() {
        try (HistoryWriter history = HistoryWriter.open(directory, "a")) {
            FencedLock lock = history.recorded(client.lock("x"));
            client.close();
            assertThatThrownBy(lock::lock).isInstanceOf(RuntimeException.class);
        }
        assertThat(recorded()).containsExactly("acquire invoke", "acquire unknown");
    }

    @Test
    void tokensThreadsAndNamesOfAnyKindAreKept() {
        try (HistoryWriter history = HistoryWriter.open(directory, "shop 1")) {
            history.recorded(client.lock("Käse 100%")).lock();
            long token = client.lock("Käse 100%").currentLease().orElseThrow().fencingToken();
            assertThat(History.read(directory).events()).allSatisfy(event -> {
                assertThat(event.process()).isEqualTo("shop%201");
                assertThat(event.lock()).isEqualTo("Käse%20100%25");
                assertThat(event.thread()).endsWith("#" + Thread.currentThread().getId());
                assertThat(event.token()).isEqualTo(event.type() == Type.OK ? token : 0);
            });
        }
    }

    @Test
    void asynchronousCallsAreRefused() {
        try (HistoryWriter history = HistoryWriter.open(directory, "a")) {
            FencedLock lock = history.recorded(client.lock("x"));
            assertThatThrownBy(lock::acquireAsync).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aProcessNameIsUnique() {
        try (HistoryWriter history = HistoryWriter.open(directory, "a")) {
            history.killed("b");
            assertThatThrownBy(() -> HistoryWriter.open(directory, "a")).isInstanceOf(UncheckedIOException.class);
        }
        assertThat(History.read(directory).events())
                .singleElement()
                .satisfies(event -> assertThat(event.action()).isEqualTo(Action.KILL));
    }

    // ================================================================ reading

    @Test
    void anIncompleteLastLineIsIgnored() throws IOException {
        Files.writeString(directory.resolve("a.history"), "10 a t acquire invoke x\n20 a t acquire ok x 17");
        Files.writeString(directory.resolve("b.history"), "10 b t acquire invo");
        Files.writeString(directory.resolve("c.history"), "");
        Files.writeString(directory.resolve("other"), "is no history");
        assertThat(History.read(directory).events())
                .as("the token may have been 1712")
                .singleElement()
                .satisfies(event -> assertThat(event.type()).isEqualTo(Type.INVOKE));
    }

    @Test
    void eventsAreSortedByTime() throws IOException {
        Files.writeString(directory.resolve("a.history"), "10 a t acquire invoke x\n30 a t acquire fail x\n");
        Files.writeString(directory.resolve("b.history"), "20 b t acquire invoke x\n");
        assertThat(History.read(directory).events().stream().map(Event::toString))
                .containsExactly(
                        "0.000000010 s  a  t  acquire invoke  x  (a.history:1)",
                        "0.000000020 s  b  t  acquire invoke  x  (b.history:1)",
                        "0.000000030 s  a  t  acquire fail  x  (a.history:2)");
    }

    @Test
    void anInvalidLineIsNamed() {
        for (String line : List.of(
                "10 a t acquire",
                "10 a t acquire invoke",
                "10 a t steal invoke x",
                "10 a t acquire info x",
                "10 a t check unknown x 1",
                "10 a t acquire ok x 1 2")) {
            assertThatThrownBy(() -> History.parse("10 a t acquire invoke x\n" + line))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("line:2 ")
                    .hasMessageEndingWith(": " + line);
        }
        assertThatThrownBy(() -> History.parse("now a t acquire invoke x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lacks a number");
    }

    // ================================================================ processes

    /** Prints the time, or records events until it is killed. */
    static final class Child {
        public static void main(String[] args) throws IOException {
            if (args.length == 0) {
                while (System.in.read() >= 0) {
                    System.out.println(System.nanoTime());
                }
            } else {
                HistoryWriter history = HistoryWriter.open(Path.of(args[0]), "child");
                for (long i = 1; ; i++) {
                    history.write(Action.ACQUIRE, Type.OK, "x", i);
                    System.out.println(i);
                }
            }
        }
    }

    @Test
    void allJvmsOfAMachineHaveOneClock() throws InterruptedException {
        List<ChildJvm> children = new ArrayList<>();
        try {
            children.add(ChildJvm.start(Child.class));
            children.add(ChildJvm.start(Child.class));
            long before = System.nanoTime();
            for (int i = 0; i < 1_000; i++) {
                ChildJvm child = children.get(i % 2);
                child.send("");
                long there = Long.parseLong(Objects.requireNonNull(child.nextLine(PATIENCE)));
                long after = System.nanoTime();
                assertThat(there).isBetween(before, after);
                before = after;
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    @Test
    void aKilledProcessLosesNoEarlierEvent() throws Exception {
        long told;
        try (ChildJvm child = ChildJvm.start(Child.class, directory.toString())) {
            Await.until("much is recorded", () -> child.lines().size() > 2_000);
            child.kill();
            told = child.lines().stream()
                    .filter(line -> line.matches("\\d+"))
                    .mapToLong(Long::parseLong)
                    .max()
                    .orElseThrow();
        }
        List<Long> tokens =
                History.read(directory).events().stream().map(Event::token).collect(Collectors.toList());
        assertThat(tokens.size()).isBetween((int) told, (int) told + 10_000);
        for (int i = 0; i < tokens.size(); i++) {
            assertThat(tokens.get(i)).isEqualTo(i + 1);
        }
        Files.writeString(directory.resolve("child.history"), "1 child", StandardOpenOption.APPEND);
        assertThat(History.read(directory).events()).hasSize(tokens.size());
    }
}
