// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.tools.BoltworkCommand;
import io.boltwork.tools.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code boltwork hold} with real processes: it holds a lock until its input ends, a signal comes, or the lock is lost.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Execution(ExecutionMode.CONCURRENT)
class HoldCommandTest {
    private static RedisServer redis;
    private static LockClient locks;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        locks = LockClient.create(RedisBackend.connect(redis.uri()));
    }

    @AfterAll
    static void stop() {
        locks.close();
        redis.close();
    }

    /** A process whose input stays open until the test ends it. */
    private record Holding(Process process, BufferedReader out, BufferedReader err) implements AutoCloseable {
        static Holding start(String... args) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    BoltworkCommand.class.getName(),
                    "-u",
                    redis.uri(),
                    "hold"));
            command.addAll(List.of(args));
            try {
                Process process = new ProcessBuilder(command).start();
                return new Holding(
                        process,
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)),
                        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8)));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        long token() throws IOException {
            return Long.parseLong(String.valueOf(out.readLine()));
        }

        int exitCode() throws InterruptedException {
            assertThat(process.waitFor(Slack.seconds(60).toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private static LockInfo.Holder holder(String name) {
        return locks.inspector().describe(name).holders().get(0);
    }

    @Test
    void lockIsHeldUntilTheInputEnds() throws Exception {
        try (Holding hold = Holding.start("hold:input", "--label", "deployment of 4.2")) {
            long token = hold.token();
            LockInfo.Holder holder = holder("hold:input");
            assertThat(holder.fencingToken()).isEqualTo(token);
            assertThat(holder.client().orElseThrow().application()).isEqualTo("deployment of 4.2");
            hold.process().getOutputStream().write("ignored\n".getBytes(StandardCharsets.US_ASCII));
            hold.process().getOutputStream().flush();
            try (Holding second = Holding.start("hold:input", "--try", "--conflict-code", "3")) {
                assertThat(second.exitCode()).isEqualTo(3);
                assertThat(second.err().readLine()).isEqualTo("boltwork: the lock 'hold:input' is taken");
            }
            hold.process().getOutputStream().close();
            assertThat(hold.exitCode()).isZero();
            assertThat(locks.inspector().describe("hold:input").holders()).isEmpty();
        }
    }

    @Test
    void signalEndsIt() throws Exception {
        try (Holding hold = Holding.start("hold:signal", "--read")) {
            assertThat(hold.token()).isPositive();
            hold.process().toHandle().destroy(); // TERM; unlike Process.destroy(), it keeps the input open
            assertThat(hold.exitCode()).isEqualTo(128 + 15);
            assertThat(locks.readWriteLock("hold:signal").writeLock().tryAcquire())
                    .isPresent();
        }
    }

    @Test
    void lossEndsItAndIsTold() throws Exception {
        try (Holding hold = Holding.start("hold:loss")) {
            assertThat(locks.inspector().forceRelease("hold:loss", hold.token()))
                    .isTrue();
            assertThat(hold.exitCode()).isEqualTo(ExitCode.LOST);
            assertThat(hold.err().readLine()).startsWith("boltwork: The lock 'hold:loss'");
        }
    }
}
