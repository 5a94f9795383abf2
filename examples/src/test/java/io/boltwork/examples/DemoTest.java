// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the demo as a user does, with its script, JVMs and Redis. */
class DemoTest {
    private static final boolean WHOLE = Boolean.getBoolean("boltwork.whole");
    private static final String[] SMALL = {"--buyers", "40", "--over", "300ms", "--stock", "5", "--work", "20ms"};

    @TempDir
    private Path directory;

    @BeforeEach
    void install() throws Exception {
        DemoRun.install(directory);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "trylock"})
    void oversellsWithoutALockAndNeverWithBoltwork(String mode) throws Exception {
        assumeTrue(
                mode.equals("lock") || Boolean.getBoolean("boltwork.proof"),
                "skipped: ten seconds, -Dboltwork.proof=true");
        try (DemoRun demo = DemoRun.start(directory, with("--mode", mode))) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            Table table = new Table(demo.output());
            assertThat(table.number("buyers", 1)).isEqualTo(40);
            assertThat(table.number("buyers", 2)).isEqualTo(40);
            assertThat(table.number("served", 2)).isEqualTo(40);
            assertThat(table.number("oversold", 1)).isPositive();
            assertThat(table.number("sold", 1)).isEqualTo(5 + table.number("oversold", 1));
            assertThat(table.number("sold", 2)).isEqualTo(5);
            assertThat(table.number("oversold", 2)).isZero();
            assertThat(table.number("turned away", 2)).isZero();
            assertThat(table.number("served per second", 2))
                    .isPositive()
                    .isLessThanOrEqualTo(table.number("the work allows", 2));
            assertThat(table.number("waited, p99", 2)).isGreaterThan(0.4);
            assertThat(demo.output())
                    .contains("Sold 5 of 5: not one too many.", "tokens grew: yes", "stock.lock();")
                    .contains("served 40 of 40")
                    .doesNotContain("WARN", "SLF4J", "\r", "\u001b");
            assertThat(demo.output().lines()).allMatch(line -> line.length() <= 80);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"standalone", "sentinel", "replicated", "cluster", "quorum"})
    void nothingIsOversoldIfMastersAreKilledDuringTheSale(String deployment) throws Exception {
        assumeTrue(
                List.of("replicated", "quorum").contains(deployment) && WHOLE || Boolean.getBoolean("boltwork.proof"),
                "skipped: a quarter of a minute each, -Dboltwork.proof=true");
        try (DemoRun demo = DemoRun.start(directory, with("--deployment", deployment))) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            assertThat(demo.output())
                    .contains("Sold 5 of 5: not one too many.", "the sale stood still for", "served 40 of 40")
                    .containsPattern("oversold +0")
                    .containsPattern("holds lost +\\d")
                    .containsPattern("requests that asked again +\\d");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "zookeeper", "etcd"})
    void nothingIsOversoldWithLocksInAStore(String store) throws Exception {
        assumeTrue(
                store.equals("h2") && WHOLE || Boolean.getBoolean("boltwork.proof"),
                "skipped: ten seconds each, -Dboltwork.proof=true");
        assumeTrue(!store.equals("etcd") || EtcdCluster.isInstalled(), "no etcd on this machine");
        try (DemoRun demo = DemoRun.start(directory, with("--store", store))) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            assertThat(demo.output())
                    .containsIgnoringCase("The locks are kept in ")
                    .containsIgnoringCase(store)
                    .contains("Sold 5 of 5: not one too many.", "tokens grew: yes", "LockClient.create(")
                    .doesNotContain("WARN", "SLF4J");
            assertThat(demo.output().lines()).allMatch(line -> line.length() <= 80);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void buyersAreTurnedAwayWhenTheirTimeIsUp() throws Exception {
        try (DemoRun demo = DemoRun.start(directory, with("--mode", "trylock", "--wait", "100ms"))) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            Table table = new Table(demo.output());
            assertThat(table.number("turned away", 2)).isPositive();
            assertThat(table.number("served", 2) + table.number("turned away", 2))
                    .isEqualTo(40);
            assertThat(table.number("oversold", 2)).isZero();
        }
    }

    @Test
    void runsOnTheUsersRedisAndLeavesNoLastingKeys() throws Exception {
        try (RedisServer redis = RedisServer.start("--requirepass", "secret")) {
            redis.command("SET", "mine", "1");
            String uri = "redis://:secret@127.0.0.1:" + redis.port();
            try (DemoRun demo = DemoRun.start(directory, with("--redis", uri, "--shops", "3"))) {
                assertThat(demo.exitCode()).as(demo.output()).isZero();
                assertThat(demo.output()).contains("3 shops", "yours").doesNotContain("secret");
            }
            assertThat(redis.command("KEYS", "flash-sale:*")).isEqualTo(List.of());
            for (Object key : (List<?>) redis.command("KEYS", "*")) {
                assertThat((Long) redis.command("TTL", key.toString()))
                        .as(key.toString())
                        .matches(ttl -> ttl > 0 || key.equals("mine"));
            }
        }
    }

    /** Tests SIGTERM, like Ctrl-C, and SIGKILL, after which the demo itself cannot clean up. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noProcessOutlivesTheDemo(boolean kill) throws Exception {
        assumeTrue(kill || WHOLE, "skipped: ten seconds, -Dboltwork.whole=true");
        try (DemoRun demo = DemoRun.start(directory, "--buyers", "1000")) {
            // until all JVMs have started and rehearsed: 8 s on an idle machine
            Await.within(
                    Duration.ofMinutes(1),
                    "the sale goes on",
                    () -> demo.output().contains("2. With Boltwork"));
            List<ProcessHandle> children = demo.process().descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(3);
            if (kill) {
                demo.process().destroyForcibly();
            } else {
                demo.process().destroy();
            }
            assertThat(demo.exitCode()).isNotZero();
            for (ProcessHandle child : children) {
                Await.until("process " + child.pid() + " has ended", () -> !runs(child));
            }
            assertThat(demo.output()).doesNotContain("\tat ", "has ended");
        }
    }

    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent(); // a zombie has no command
    }

    private static String[] with(String... args) {
        return java.util.stream.Stream.of(SMALL, args)
                .flatMap(java.util.Arrays::stream)
                .toArray(String[]::new);
    }

    /** The table in the output: 1 is the column without a lock, 2 the one with Boltwork. */
    private record Table(String output) {
        double number(String row, int column) {
            Matcher line = Pattern.compile(
                            "^ +" + Pattern.quote(row) + " +([0-9.-]+)(?: s)? +([0-9.]+)", Pattern.MULTILINE)
                    .matcher(output);
            assertThat(line.find()).as(row + " in " + output).isTrue();
            return Double.parseDouble(line.group(column));
        }
    }
}
