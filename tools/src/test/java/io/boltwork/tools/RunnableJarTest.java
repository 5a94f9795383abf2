// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.tools.connect.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.JarFile;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The runnable jar has all that the stores need, and no more than it must. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class RunnableJarTest {
    private static final long LARGEST = 15_000_000;
    private static final Duration LONGEST_START = Duration.ofMillis(500);
    private static final int STARTS = 5;

    private static void listsALock(String uri) {
        StoreOptions store = CommandLine.populateCommand(new StoreOptions(), "--uri", uri);
        try (LockClient shop = store.connect("shop");
                Lease lease = shop.lock("stock:1").acquire()) {
            ToolRun list = RunnableJar.run("ls", "--long", "--uri", uri);
            assertThat(list.err()).isEmpty();
            assertThat(list.exitCode()).isZero();
            assertThat(list.lines()).hasSize(2);
            assertThat(list.lines().get(1)).matches("stock:1 +LOCK +HELD .* shop@.* +" + lease.fencingToken());
        }
    }

    @Test
    void itListsLocksInRedis() {
        RunnableJar.file();
        try (RedisServer redis = RedisServer.start()) {
            listsALock(redis.uri());
        }
    }

    @Test
    void itListsLocksInH2(@TempDir Path directory) {
        RunnableJar.file();
        listsALock("jdbc:h2:file:" + directory.resolve("locks") + ";AUTO_SERVER=TRUE");
    }

    @Test
    void itListsLocksInPostgres() {
        RunnableJar.file();
        assumeTrue(PostgresServer.isInstalled(), "no PostgreSQL on this machine");
        try (PostgresServer postgres = PostgresServer.start()) {
            listsALock(postgres.uri());
        }
    }

    @Test
    void itListsLocksInZooKeeper() throws Exception {
        RunnableJar.file();
        try (TestingServer zooKeeper = new TestingServer()) {
            listsALock("zookeeper://" + zooKeeper.getConnectString());
        }
    }

    @Test
    void itListsLocksInEtcd() {
        RunnableJar.file();
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (EtcdCluster etcd = EtcdCluster.start(1)) {
            listsALock("etcd://127.0.0.1:" + etcd.port(0));
        }
    }

    @Test
    void itIsSmallAndHasItsLicences() throws IOException {
        assertThat(Files.size(RunnableJar.file())).isLessThanOrEqualTo(LARGEST);
        try (JarFile jar = new JarFile(RunnableJar.file().toFile())) {
            assertThat(jar.isMultiRelease()).isTrue();
            assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
            assertThat(jar.getEntry("META-INF/NOTICE")).isNotNull();
            assertThat(jar.stream().map(Object::toString))
                    .contains("META-INF/services/java.sql.Driver")
                    .noneMatch(name -> name.endsWith("module-info.class"))
                    .noneMatch(name -> name.matches("META-INF/[^/]+\\.(SF|RSA|DSA)"));
        }
    }

    /** The fastest of several starts counts, because other tests may run at the same time. */
    @Test
    void itStartsFast() {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < STARTS; i++) {
            long start = System.nanoTime();
            ToolRun help = RunnableJar.run("--help");
            fastest = Math.min(fastest, System.nanoTime() - start);
            assertThat(help.out()).startsWith("Usage: boltwork");
            if (fastest < LONGEST_START.toNanos()) {
                return;
            }
        }
        // three times, for machines on which other tests run meanwhile
        assertThat(Duration.ofNanos(fastest)).isLessThan(Slack.of(LONGEST_START.multipliedBy(3)));
    }

    @Test
    void itKnowsItsVersion() {
        assertThat(RunnableJar.run("--version").out()).startsWith("boltwork 0.").doesNotContain("sources");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "ls --help", "completion", "man"})
    void itPrintsTheHelpOfTheWholeCommand(String line) {
        assertThat(RunnableJar.run(line.split(" ")).out())
                .isEqualTo(ToolRun.of(line.split(" ")).out());
    }
}
