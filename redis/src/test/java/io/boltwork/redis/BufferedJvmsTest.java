// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that several JVMs share a bounded buffer by the conditions of a lock: nothing is lost, and nothing is taken
 * twice.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class BufferedJvmsTest {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(60);
    private static final List<String> JVM_ARGS = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static RedisServer server;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> server);

    @TempDir
    Path directory;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void aBoundedBufferOfThreeJvmsLosesNothingThoughTwoAreKilledAndOneFrozen() throws Exception {
        HistoryWriter history = nothing.closing(HistoryWriter.open(directory, "test"));
        List<ChildJvm> jvms = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jvms.add(start(i));
        }
        awaitTaken(300);
        for (int i = 0; i < 2; i++) {
            jvms.remove(0).kill();
            history.killed(BufferJvm.process(i));
            jvms.add(start(3 + i));
            awaitTaken(300);
        }
        ChildJvm frozen = jvms.get(0);
        frozen.freeze();
        Thread.sleep(BufferJvm.LEASE.plusMillis(500).toMillis()); // past its lease, if it holds the lock
        awaitTaken(100);
        frozen.thaw();
        awaitTaken(300);
        jvms.forEach(jvm -> jvm.send("stop"));
        assertThat(jvms).allSatisfy(jvm -> assertThat(jvm.awaitExit(END)).isZero());
        HistoryChecker.Verdict verdict =
                HistoryChecker.checkEnded(History.read(directory)).orThrow();
        System.out.println("a bounded buffer: " + verdict + ", " + taken() + " items");
        assertThat(server.command("LRANGE", "buffer:wrong", "0", "-1")).isEqualTo(List.of());
        List<Object> numbers = new ArrayList<>(list("buffer:taken"));
        numbers.addAll(list("buffer:items"));
        long made = Long.parseLong(String.valueOf(server.command("GET", "buffer:numbers")));
        assertThat(numbers)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, made).mapToObj(Long::toString).toList());
        server.command("DEL", "buffer:taken", "buffer:items", "buffer:numbers");
    }

    private ChildJvm start(int number) throws InterruptedException {
        ChildJvm jvm = nothing.closing(ChildJvm.start(
                BufferJvm.class, JVM_ARGS, List.of(server.uri(), Integer.toString(number), directory.toString())));
        assertThat(jvm.nextLine(START)).isEqualTo("ready");
        return jvm;
    }

    private static List<?> list(String key) {
        return (List<?>) Objects.requireNonNull(server.command("LRANGE", key, "0", "-1"));
    }

    private static long taken() {
        return (Long) Objects.requireNonNull(server.command("LLEN", "buffer:taken"));
    }

    /** Waits until that many more numbers were taken. */
    private static void awaitTaken(int more) {
        long before = taken();
        Await.within(Duration.ofSeconds(60), more + " more items", () -> taken() >= before + more);
    }
}
