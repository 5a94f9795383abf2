// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import io.boltwork.tools.ToolRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The output of the commands about locks on a real Redis. */
class LookCommandsTest {
    private static RedisServer redis;
    private static LockClient checkout;
    private static LockClient billing;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        checkout = LockClient.create(
                RedisBackend.connect(redis.uri()), ClientOptions.defaults().withApplication("checkout"));
        billing = LockClient.create(
                RedisBackend.connect(redis.uri()), ClientOptions.defaults().withApplication("billing"));
    }

    @AfterAll
    static void stop() {
        checkout.close();
        billing.close();
        redis.close();
    }

    private static ToolRun run(String command, String... args) {
        String[] all = new String[args.length + 3];
        all[0] = command;
        all[1] = "--uri";
        all[2] = redis.uri();
        System.arraycopy(args, 0, all, 3, args.length);
        ToolRun run = ToolRun.of(all);
        assertThat(run.err()).isEmpty();
        return run;
    }

    @Test
    void listShowsLocksOfAllKinds() {
        try (Lease stock = checkout.lock("list:stock").acquire();
                Lease upload = billing.semaphore("list:uploads", 5).acquire(3)) {
            ToolRun run = run("ls", "list:*");
            assertThat(run.lines()).hasSize(3);
            assertThat(run.lines().get(1))
                    .matches("list:stock +LOCK +HELD +1 +0 +\\d+\\.\\d s +" + stock.fencingToken());
            assertThat(run.lines().get(2))
                    .matches("list:uploads +SEMAPHORE +HELD +1 \\(3 permits\\) +0 +\\d+\\.\\d s +"
                            + upload.fencingToken());
            assertThat(run("ls", "list:*", "--kind", "semaphore").lines()).hasSize(2);
            String leftOut = "There are more locks. Shown are the first 1 that the store returned, in its own order.";
            assertThat(run("ls", "list:*", "--limit", "1").out()).contains(leftOut);
            assertThat(run("ls", "list:*", "--limit", "1", "--long").out()).contains(leftOut);
            ToolRun json = ToolRun.of("ls", "-u", redis.uri(), "list:*", "--limit", "1", "-o", "json");
            assertThat(json.out()).doesNotContain(leftOut).containsOnlyOnce("\"name\"");
            assertThat(json.err()).startsWith("boltwork: " + leftOut);
            assertThat(run("ls", "list:*", "--limit", "2").lines()).hasSize(3);
            assertThat(run("ls", "list:*", "--long").lines().get(1))
                    .contains("checkout@")
                    .endsWith(Long.toString(stock.fencingToken()));
            assertThat(run("ls", "list:*", "-o", "json").out())
                    .contains("\"name\" : \"list:stock\"", "\"fencingToken\" : \"" + stock.fencingToken() + "\"");
        }
    }

    @Test
    void healthTellsWhetherLocksCanBeAcquired() {
        assertThat(run("health").lines().get(0)).isEqualTo("connected");
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            ToolRun full = run("health");
            assertThat(full.exitCode()).isEqualTo(77);
            assertThat(full.lines().get(0)).isEqualTo("connected, but locks CANNOT be acquired");
            assertThat(full.out()).contains("it refuses to grant locks: its memory is full");
            assertThat(run("health", "-o", "json").out()).contains("\"usable\" : false");
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(run("health").exitCode()).isZero();
    }

    @Test
    void describeShowsHolderAndQueue() {
        FencedLock theirs = billing.lock("describe:1");
        Task<Object> waiter;
        try (Lease lease = checkout.lock("describe:1").acquire()) {
            waiter = Task.start("waiter", () -> {
                theirs.acquire().close();
                return null;
            });
            Await.until(
                    "a waiter",
                    () -> !checkout.inspector().describe("describe:1").queue().isEmpty());
            ToolRun run = run("describe", "describe:1");
            assertThat(run.lines().get(0))
                    .startsWith("describe:1: LOCK, HELD, ")
                    .endsWith(" left unless renewed, 1 caller waits");
            assertThat(run.out())
                    .containsPattern("checkout@\\S+ +exclusive +\\d+\\.\\d+ s +\\d+\\.\\d s +" + lease.fencingToken())
                    .containsPattern("1 +billing@\\S+ +exclusive +\\d+\\.\\d+ s +1");
            assertThat(run("describe", "describe:1", "--output", "json").out())
                    .contains("\"application\" : \"checkout\"", "\"position\" : 1", "\"confirmed\" : true");
        }
        waiter.get();
        assertThat(run("describe", "describe:1").out().strip())
                .isEqualTo("describe:1: FREE. No lock, semaphore or latch with this name is in use");
    }

    @Test
    void describeShowsAllKindsOfAName() {
        assertThat(run("describe", "kinds:1").out().strip())
                .isEqualTo("kinds:1: FREE. No lock, semaphore or latch with this name is in use");
        try (Lease permits = checkout.semaphore("kinds:1", 5).acquire(2)) {
            assertThat(run("describe", "kinds:1").lines())
                    .first()
                    .asString()
                    .startsWith("kinds:1: SEMAPHORE, HELD, ")
                    .contains(", 5 permits");
            try (Lease reading = billing.readWriteLock("kinds:1").readLock().acquire()) {
                assertThat(reading.isValid() && permits.isValid()).isTrue();
                checkout.latch("kinds:1").trySetCount(3);
                assertThat(run("describe", "kinds:1").out())
                        .contains("kinds:1: READ_WRITE, HELD", "kinds:1: SEMAPHORE, HELD", "kinds:1: LATCH, count 3")
                        .doesNotContain("kinds:1: LOCK");
                assertThat(run("describe", "kinds:1", "-o", "json").out())
                        .contains("\"latch\" : 3", "\"kind\" : \"READ_WRITE\"", "\"kind\" : \"SEMAPHORE\"");
            }
        }
    }

    @Test
    void callersInsideTheHolderAreCounted() {
        List<Task<Object>> waiters = new ArrayList<>();
        try (Lease lease = checkout.lock("inside:1").acquire()) {
            assertThat(lease.isValid()).isTrue();
            for (int i = 0; i < 3; i++) {
                waiters.add(Task.start("waiter-" + i, () -> {
                    checkout.lock("inside:1").acquire().close();
                    return null;
                }));
            }
            Await.until("three callers", () -> run("describe", "inside:1").out().contains(", 3 callers wait"));
            assertThat(run("describe", "inside:1").lines().get(3)).containsPattern(" " + lease.fencingToken() + " +3 ");
            assertThat(run("describe", "inside:1", "-o", "json").out()).contains("\"waitingCallers\" : 3");
            assertThat(run("top", "--frames", "1").out()).containsPattern("inside:1 +LOCK .* 3 +\\d+");
        }
        waiters.forEach(Task::get);
    }

    @Test
    void releaseTakesTheOnlyKindOrAsksWhich() {
        try (Lease permits = checkout.semaphore("which:1", 5).acquire()) {
            try (Lease lease = billing.lock("which:1").acquire()) {
                ToolRun both = ToolRun.of("release", "--uri", redis.uri(), "which:1", "--force", "--yes");
                assertThat(both.exitCode()).isEqualTo(64);
                assertThat(both.err()).contains("--kind must say which", "LOCK, SEMAPHORE");
                assertThat(lease.verify() && permits.verify()).isTrue();
            }
            assertThat(run("release", "which:1", "--force", "--yes").out())
                    .contains("Loses the lock: checkout@", "Taken away");
            assertThat(permits.verify()).isFalse();
        } catch (io.boltwork.LeaseLostException expected) {
            assertThat(expected).hasMessageContaining("which:1");
        }
    }

    @Test
    void namesCannotCommandTheTerminal() {
        try (Lease lease = checkout.lock("evil:\u001b[31m\n<script>").acquire()) {
            assertThat(lease.isValid()).isTrue();
            for (String command : new String[] {"ls", "describe"}) {
                String name = command.equals("ls") ? "evil:*" : lease.lockName();
                assertThat(run(command, name).out())
                        .contains("evil:\\u001b[31m\\u000a<script>")
                        .doesNotContain("\u001b");
            }
        }
    }

    @Test
    void clientsAndHealthAreShown() {
        assertThat(run("clients").out())
                .containsPattern("checkout +\\S+ +" + ProcessHandle.current().pid() + " +20");
        assertThat(run("clients", "-o", "json").out()).contains("\"application\" : \"billing\"");
        ToolRun health = run("health");
        assertThat(health.lines().get(0)).isEqualTo("connected");
        assertThat(health.out())
                .containsPattern(redis.host() + ":" + redis.port() + " +master +yes +\\d+\\.\\d\\d ms +\\d+\\.");
        assertThat(run("health", "-o", "json").out()).contains("\"connected\" : true", "\"role\" : \"MASTER\"");
    }

    @Test
    void releaseTakesALockAway() {
        try (Lease lease = checkout.lock("release:1").acquire()) {
            ToolRun other = run("release", "release:1", "--token", "17", "--force", "--yes");
            assertThat(other.exitCode()).isEqualTo(1);
            assertThat(other.out()).contains("Keeps the lock: checkout@", "there is no holder with the token 17");
            assertThat(lease.verify()).isTrue();
            ToolRun run =
                    run("release", "release:1", "--token", Long.toString(lease.fencingToken()), "--force", "--yes");
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("Loses the lock: checkout@", "Taken away.");
            Await.until("the loss", () -> !lease.isValid());
        } catch (io.boltwork.LeaseLostException expected) {
            assertThat(expected).hasMessageContaining("release:1");
        }
        ToolRun nothing = run("release", "release:1", "--force", "--yes");
        assertThat(nothing.exitCode()).isEqualTo(1);
        assertThat(nothing.out()).contains("the lock has no holder");
    }

    @Test
    void releaseWithoutATerminalNeedsYes() {
        try (Lease lease = checkout.lock("release:2").acquire()) {
            ToolRun run = ToolRun.of("release", "--uri", redis.uri(), "release:2", "--force");
            assertThat(run.exitCode()).isEqualTo(64);
            assertThat(run.err()).contains("--yes is required");
            assertThat(lease.verify()).isTrue();
            assertThat(ToolRun.of("release", "--uri", redis.uri(), "release:2").err())
                    .contains("Missing required option: '--force'");
        }
    }

    @Test
    void aHolderOfRedissonIsShownAndReleasedOnTheBridge() {
        redis.command("HSET", "bridged:1", "8743c9c0-0795-4907-87fd-6c719a6b4586:7", "1");
        redis.command("PEXPIRE", "bridged:1", "30000");
        assertThat(run("describe", "bridged:1", "--bridge", "bridged:*").out())
                .contains("HELD", "8743c9c0-0795-4907-87fd-6c719a6b4586:7");
        assertThat(run("describe", "bridged:1").out()).doesNotContain("HELD");
        assertThat(run("release", "bridged:1", "--force", "--yes", "--bridge", "bridged:*")
                        .exitCode())
                .isZero();
        assertThat(redis.command("EXISTS", "bridged:1")).isEqualTo(0L);
    }

    @Test
    void aPrefixSeparatesLocks() {
        try (Lease lease = checkout.lock("prefix:1").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(run("ls", "prefix:*", "--prefix", "other").lines()).hasSize(1);
            assertThat(run("ls", "prefix:*", "--prefix", "boltwork").lines()).hasSize(2);
        }
    }

    @Test
    void latchesHaveNoKindThere() {
        assertThat(ToolRun.of("ls", "--kind", "latch").err())
                .contains("Invalid value for option '--kind'", Objects.toString(LockKind.READ_WRITE));
    }

    @Test
    void topPrintsAsManyFramesAsWanted() {
        ToolRun run = run("top", "--frames", "2", "--every", "100ms", "-o", "json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("["))).hasSize(2);
        assertThat(ToolRun.of("top", "--uri", redis.uri(), "--rows", "0").err()).contains("--rows must be 1 or more");
    }
}
