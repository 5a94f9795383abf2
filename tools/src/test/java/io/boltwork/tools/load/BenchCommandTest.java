// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.tools.BoltworkCommand;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.ToolRun;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The bench measures, leaves nothing behind, and stops when it disturbs too much. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class BenchCommandTest {

    @Test
    void itMeasuresARedisAndCleansUp() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "another", "key");
            ToolRun run = ToolRun.of(
                    "bench", "--uri", redis.uri(), "--time", "2s", "--threads", "2", "--locks", "20", "--yes");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err())
                    .contains("For 2 s, 2 threads will lock and unlock 20 locks", "keys 'boltwork:bench-")
                    .containsPattern("1 s of 2 s: \\d+ pairs, median \\d");
            assertThat(run.out())
                    .containsPattern("[\\d,]+ pairs of lock and unlock in [2-9]\\.\\d s: [\\d,]+ a second, 0 failed")
                    .containsPattern("p50 \\S+ \\S+  p90 \\S+ \\S+  p99 \\S+ \\S+  p99\\.9 \\S+ \\S+  max ")
                    .containsPattern("<= +\\d+ (us|ms|s)  #+ [\\d,]+");
            assertThat(String.valueOf(redis.command("KEYS", "*bench*"))).isEqualTo("[]");
            assertThat(redis.command("GET", "another")).hasToString("key");
        }
    }

    /** Keys in the database that the URI names as a parameter, which Ctrl-C ends. */
    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void itCleansUpAfterCtrlC() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            Process bench = new ProcessBuilder(
                            "env",
                            "--default-signal=INT",
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            BoltworkCommand.class.getName(),
                            "bench",
                            "-u",
                            redis.uri() + "?database=3",
                            "--yes")
                    .start();
            try (BufferedReader err =
                    new BufferedReader(new InputStreamReader(bench.getErrorStream(), StandardCharsets.UTF_8))) {
                assertThat(err.lines().anyMatch(line -> line.contains(" s of 60 s: ")))
                        .isTrue();
                assertThat(String.valueOf(redis.command("INFO", "keyspace"))).contains("db3:keys=");
                new ProcessBuilder("kill", "-s", "INT", Long.toString(bench.pid()))
                        .start()
                        .waitFor();
                assertThat(bench.waitFor()).isEqualTo(128 + 2);
                assertThat(err.lines().toList()).noneMatch(line -> line.contains("not delete"));
            } finally {
                bench.destroyForcibly();
            }
            assertThat(String.valueOf(redis.command("INFO", "keyspace"))).doesNotContain("db3");
        }
    }

    @Test
    void itPrintsJson() {
        ToolRun run = ToolRun.of(
                "bench",
                "--uri",
                "jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1",
                "--time",
                "1s",
                "--threads",
                "1",
                "-y",
                "-o",
                "json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("{")
                .contains("\"pairsPerSecond\" : ", "\"p99Millis\" : ", "\"stopped\" : \"\"");
        assertThat(run.err()).contains("four tables 'boltwork_bench_").doesNotContain("Could not delete");
    }

    @Test
    void itDeletesItsNodesInZooKeeper() throws Exception {
        try (TestingServer server = new TestingServer();
                CuratorFramework zooKeeper =
                        CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100))) {
            zooKeeper.start();
            ToolRun run = ToolRun.of(
                    "bench",
                    "--uri",
                    "zookeeper://" + server.getConnectString(),
                    "--time",
                    "1s",
                    "--threads",
                    "1",
                    "-y");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).doesNotContain("Could not delete");
            assertThat(zooKeeper.getChildren().forPath("/")).containsExactly("zookeeper");
        }
    }

    @Test
    void itDeletesItsKeysAndLeasesInEtcd() {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(1)) {
            ToolRun run = ToolRun.of(
                    "bench", "--uri", "etcd://127.0.0.1:" + etcd.port(0), "--time", "1s", "--threads", "1", "-y");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).contains("keys '/boltwork-bench-").doesNotContain("Could not delete");
            assertThat(etcd.post("/v3/kv/range", "{\"key\":\"AA==\",\"range_end\":\"AA==\"}"))
                    .doesNotContain("kvs");
            assertThat(etcd.post("/v3/lease/leases", "{}")).doesNotContain("leases");
        }
    }

    @Test
    void itStopsWhenLatencyDoubles() throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                FaultyLink link = FaultyLink.to(redis);
                LockClient client = LockClient.create(RedisBackend.connect(link.uri()))) {
            link.delay(Duration.ofMillis(2), Duration.ZERO).inject();
            AtomicInteger periods = new AtomicInteger();
            LockLoad load = new LockLoad(client, 16, 100, Duration.ofMinutes(1), Duration.ofMillis(300));
            LoadResult result = load.run(progress -> {
                if (periods.incrementAndGet() == 4) { // the base is known
                    link.delay(Duration.ofMillis(30), Duration.ZERO).inject();
                }
            });
            assertThat(result.stopped()).contains("the median has risen from", "more than twice");
            assertThat(result.took()).isLessThan(Duration.ofMinutes(1));
        }
    }

    @Test
    void aSlowdownMustLast() {
        SlowdownWatch watch = new SlowdownWatch(1, 2, 2, 2);
        assertThat(watch.isTooSlow(Duration.ofSeconds(9))).isFalse(); // the warm-up
        assertThat(watch.isTooSlow(Duration.ofMillis(4))).isFalse();
        assertThat(watch.isTooSlow(Duration.ofMillis(5))).isFalse();
        assertThat(watch.base()).isEqualTo(Duration.ofMillis(5));
        assertThat(watch.isTooSlow(Duration.ofMillis(11))).isFalse();
        assertThat(watch.isTooSlow(Duration.ofMillis(10))).isFalse();
        assertThat(watch.isTooSlow(Duration.ofMillis(11))).isFalse();
        assertThat(watch.isTooSlow(Duration.ofMillis(11))).isTrue();
    }

    @Test
    void percentilesAreFivePercentTooLongAtMost() {
        LatencyHistogram histogram = new LatencyHistogram();
        for (int i = 1; i <= 1000; i++) {
            histogram.add(TimeUnit.MICROSECONDS.toNanos(i));
        }
        assertThat(histogram.percentile(0.5).toNanos()).isBetween(500_000L, 525_100L);
        assertThat(histogram.percentile(0.99).toNanos()).isBetween(990_000L, 1_040_000L);
        assertThat(histogram.between(Duration.ZERO, Duration.ofMinutes(1))).isBetween(998L, 1000L);
    }

    @Test
    void itAsksFirst() {
        ToolRun run = ToolRun.of("bench", "--uri", "redis://localhost:1", "--time", "1s");
        assertThat(run.err()).contains("Meanwhile, others that use this server are slower.", "--yes is required");
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void wrongNumbersAreNamed() {
        assertThat(ToolRun.of("bench", "--threads", "0").err())
                .contains("--threads must be between 1 and 1000, but is 0");
        assertThat(ToolRun.of("bench", "--locks", "-1").err()).contains("--locks must be between 1 and 1000000");
        assertThat(ToolRun.of("bench", "--time", "10ms").err())
                .contains("--time must be between 1s and 1h, but is 10ms");
    }
}
