// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.BenchServers;
import io.boltwork.bench.job.StoreServer;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.scenario.Handoff;
import io.boltwork.bench.scenario.LoadScenario;
import io.boltwork.bench.scenario.OneThread;
import io.boltwork.bench.scenario.Scenario;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Tests the bench on databases, ZooKeeper and etcd. A store that is not installed is skipped. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class BenchStoresTest {
    private static final Duration TIME = Duration.ofMillis(150);
    private static final Duration INSIDE = Duration.ofNanos(20_000);

    /** The servers that a test has needed so far. */
    private static final Map<BenchDeployment, BenchServers> STARTED = new EnumMap<>(BenchDeployment.class);

    @TempDir
    private Path directory;

    @AfterAll
    static void stop() {
        STARTED.values().forEach(BenchServers::close);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STANDALONE", "CLUSTER"})
    void storeHasItsScenariosAndItsOwnPeers(BenchDeployment store) {
        CommandLine line = Bench.commandLine();
        line.parseArgs("--deployment", store.name());
        Bench bench = line.getCommand();
        List<String> ids = new ArrayList<>(List.of("S1", "S3", "S4", "S7"));
        if (store == BenchDeployment.POSTGRESQL) {
            ids.add("S20");
        }
        assertThat(bench.wanted()).extracting(Scenario::id).containsExactlyElementsOf(ids);
        if (store == BenchDeployment.ZOOKEEPER) {
            assertThat(bench.chosen()).containsExactly(Entrant.BOLTWORK, Entrant.CURATOR);
        } else if (store == BenchDeployment.ETCD) {
            assertThat(bench.chosen()).containsExactly(Entrant.BOLTWORK, Entrant.ETCD_LOCK);
        } else {
            assertThat(bench.chosen()).containsExactly(Entrant.BOLTWORK, Entrant.JDBC_REGISTRY, Entrant.SHEDLOCK);
        }
        for (Scenario scenario : bench.wanted()) {
            for (Point point : scenario.points(bench.plan())) {
                assertThat(scenario.entrants(bench.plan(), point))
                        .contains(Entrant.BOLTWORK, Entrant.reference(store))
                        .isSubsetOf(bench.chosen());
                assertThat(scenario.entrants(bench.plan(), point).contains(Entrant.SHEDLOCK))
                        .isEqualTo(store.isDatabase() && scenario.id().equals("S1"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void lockExcludes(BenchDeployment store, Entrant entrant) throws Exception {
        try (Contender contender = entrant.open(new Setting(store, uris(store)))) {
            assertThat(Loads.violations(contender, directory, TIME, INSIDE)).isZero();
            ContendersTest.excludes(() -> contender.lock("held"), () -> contender.lock("held"));
        }
    }

    /** Boltwork on each store, and also its peers with -Dboltwork.proof=true. */
    private static Stream<Arguments> contenders() {
        boolean proof = Boolean.getBoolean("boltwork.proof");
        return BenchDeployment.POSTGRESQL.onSamePage().stream()
                .flatMap(store -> LoadScenario.onStore(store)
                        .filter(entrant -> proof || entrant == Entrant.BOLTWORK)
                        .map(entrant -> Arguments.of(store, entrant)));
    }

    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STANDALONE", "CLUSTER"})
    void measurementHasAllFiguresButThoseOfRedis(BenchDeployment store) throws Exception {
        assumeInstalled(store);
        Scenario scenario = new OneThread();
        BenchPlan plan = new BenchPlan(store, true, 1, 100, 200, 1);
        Sample sample = scenario.measure(plan, scenario.points(plan).get(0), Entrant.BOLTWORK, 1);
        assertThat(sample.failure()).isNull();
        assertThat(sample.violations()).isZero();
        assertThat(sample.figures())
                .containsKeys(Figure.THROUGHPUT, Figure.WAIT_P50, Figure.CLIENT_CPU, Figure.SERVER_CPU)
                .doesNotContainKeys(Figure.REQUESTS, Figure.COMMANDS, Figure.BYTES_IN, Figure.BYTES_OUT);
        assertThat(sample.figures().get(Figure.THROUGHPUT)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"BOLTWORK", "JDBC_REGISTRY"})
    void lockGoesBackAndForthInTurn(Entrant entrant) throws Exception {
        Scenario scenario = new Handoff();
        BenchPlan plan = new BenchPlan(BenchDeployment.H2, true, 1, 100, 300, 1);
        Sample sample = scenario.measure(plan, scenario.points(plan).get(0), entrant, 1);
        assertThat(sample.failure()).isNull();
        assertThat(sample.violations()).isZero();
        assertThat(sample.figures().get(Figure.WAIT_P50)).isPositive();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        POSTGRESQL | SHOW fsync                              | on
        POSTGRESQL | SHOW synchronous_commit                 | on
        POSTGRESQL | SHOW full_page_writes                   | on
        MARIADB    | SELECT @@innodb_flush_log_at_trx_commit | 1
        """)
    void commitsAreDurable(BenchDeployment store, String question, String answer) throws Exception {
        try (Connection connection = DriverManager.getConnection(uris(store).get(0));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo(answer);
        }
    }

    private static List<String> uris(BenchDeployment store) {
        assumeInstalled(store);
        return STARTED.computeIfAbsent(store, BenchServers::start).uris();
    }

    private static void assumeInstalled(BenchDeployment store) {
        String missing = StoreServer.missing(store);
        assumeTrue(missing == null, missing);
    }
}
