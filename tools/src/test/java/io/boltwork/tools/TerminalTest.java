// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Task;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Commands in a real terminal: tmux, whose screen is captured. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class TerminalTest {
    private static RedisServer redis;
    private static LockClient shop;

    @BeforeAll
    static void start() {
        assumeTrue(TmuxScreen.isInstalled(), "no tmux on this machine");
        redis = RedisServer.start();
        shop = LockClient.create(
                RedisBackend.connect(redis.uri()), ClientOptions.defaults().withApplication("shop"));
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            shop.close();
            redis.close();
        }
    }

    private static TmuxScreen terminal(String command) {
        return terminal(command, "");
    }

    private static TmuxScreen terminal(String command, String rest) {
        return TmuxScreen.run(
                80,
                12,
                Path.of(System.getProperty("java.home"), "bin", "java") + " -XX:TieredStopAtLevel=1 -cp '"
                        + System.getProperty("java.class.path") + "' " + BoltworkCommand.class.getName() + " " + command
                        + " --uri " + redis.uri() + " " + rest);
    }

    @Test
    void aWatchedListIsRedrawnInPlace() {
        try (Lease first = shop.lock("watch:1").acquire();
                TmuxScreen screen = terminal("ls 'watch:*' --watch 300ms")) {
            SlowAwait.until("the lock", () -> screen.text().contains(Long.toString(first.fencingToken())));
            assertThat(screen.lines()).first().asString().matches("NAME +KIND +STATE +HOLDERS +WAITING +LEFT +TOKEN");
            try (Lease second = shop.lock("watch:2").acquire()) {
                SlowAwait.until("the second lock", () -> screen.text().contains(Long.toString(second.fencingToken())));
                assertThat(screen.lines())
                        .filteredOn(line -> line.startsWith("NAME"))
                        .hasSize(1);
            }
            SlowAwait.until("the end of the second lock", () -> !screen.text().contains("watch:2"));
            assertThat(screen.lines())
                    .filteredOn(line -> line.startsWith("watch:1"))
                    .hasSize(1);
            screen.type("C-c");
            SlowAwait.until("the screen before", () -> screen.text().contains("exit code 130"));
            assertThat(screen.text()).doesNotContain("watch:1");
        }
    }

    @Test
    void aReleaseAsksAtTheTerminal() {
        try (Lease lease = shop.lock("ask:1").acquire()) {
            try (TmuxScreen screen = terminal("release ask:1 --force")) {
                SlowAwait.until("the question", () -> screen.text().contains("Take the lock 'ask:1' away? [y/N]"));
                screen.type("n", "Enter");
                SlowAwait.until("the end", () -> screen.text().contains("exit code 1"));
                assertThat(screen.text()).contains("Nothing was changed.");
                assertThat(lease.verify()).isTrue();
            }
            try (TmuxScreen screen = terminal("release ask:1 --force")) {
                SlowAwait.until("the question", () -> screen.text().contains("[y/N]"));
                screen.type("y", "Enter");
                SlowAwait.until("the end", () -> screen.text().contains("exit code 0"));
                SlowAwait.until("the loss", () -> !lease.isValid());
            }
        } catch (io.boltwork.LeaseLostException taken) {
            assertThat(taken).hasMessageContaining("ask:1");
        }
    }

    @Test
    void aCommandUnderALockHasTheTerminal() {
        String script =
                "trap \"echo got INT; exit 4\" INT; stty size; read line; echo read $line; while :; do sleep 0.1; done";
        try (TmuxScreen screen = terminal("exec terminal:1", "-- sh -c '" + script + "'")) {
            SlowAwait.until("the size", () -> screen.text().contains("12 80"));
            screen.type("hello", "Enter");
            SlowAwait.until("the line", () -> screen.text().contains("read hello"));
            screen.type("C-c");
            SlowAwait.until("the end", () -> screen.text().contains("exit code 4"));
            assertThat(screen.text()).contains("got INT");
        }
        assertThat(shop.lock("terminal:1").isLocked()).isFalse();
    }

    @Test
    void topShowsTurnsThatTheStoreDoesNotSee() {
        FencedLock busy = shop.lock("top:busy");
        AtomicBoolean end = new AtomicBoolean();
        List<Task<Object>> threads = Stream.of("one", "two")
                .map(name -> Task.start(name, () -> {
                    while (!end.get()) {
                        busy.lock();
                        busy.unlock();
                    }
                    return null;
                }))
                .toList();
        try (TmuxScreen screen = terminal("top --every 500ms")) {
            Pattern row = Pattern.compile("top:busy +LOCK +(\\d+)\\.\\d +\\d+% +\\d+ .*");
            SlowAwait.until(
                    "turns of both threads",
                    () -> screen.lines().stream()
                            .map(row::matcher)
                            .anyMatch(line -> line.matches() && Integer.parseInt(line.group(1)) > 100));
            assertThat(screen.lines()).first().asString().matches("\\d clients?, the busiest locks .*");
        } finally {
            end.set(true);
        }
        threads.forEach(Task::get);
    }
}
