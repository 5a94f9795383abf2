// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.scenario.Handoff;
import io.boltwork.bench.scenario.OneThread;
import io.boltwork.bench.scenario.OtherKinds;
import io.boltwork.bench.scenario.Runner;
import io.boltwork.bench.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Tests the command line, and one measurement from end to end. */
class BenchTest {
    @Test
    void quickRunIsShortAndHasFewContenders() {
        Bench bench = parse("--quick");
        assertThat(bench.plan()).isEqualTo(BenchPlan.QUICK);
        assertThat(bench.chosen()).contains(Entrant.BOLTWORK, Entrant.REDISSON).doesNotContain(Entrant.TEMPLATE);
        assertThat(bench.wanted())
                .extracting(Scenario::id)
                .startsWith("S1", "S2")
                .endsWith("S17", "S18", "S19");
    }

    @Test
    void defaultIsAFullRunOfEveryScenario() {
        Bench bench = parse();
        assertThat(bench.plan()).isEqualTo(BenchPlan.FULL);
        assertThat(bench.chosen())
                .contains(Entrant.BOLTWORK, Entrant.REDISSON, Entrant.JEDIS, Entrant.LOCAL)
                .doesNotContain(Entrant.JDBC_REGISTRY, Entrant.SHEDLOCK, Entrant.CURATOR, Entrant.ETCD_LOCK);
    }

    @Test
    void clusterRunHasFourScenariosAndFewContenders() {
        Bench bench = parse("--deployment", "cluster");
        assertThat(bench.plan()).isEqualTo(BenchPlan.FULL.on(BenchDeployment.CLUSTER));
        assertThat(bench.wanted()).extracting(Scenario::id).containsExactly("S3", "S4", "S7", "S10");
        assertThat(bench.chosen())
                .contains(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON, Entrant.REDISSON_FAIR)
                .doesNotContain(Entrant.JEDIS, Entrant.TEMPLATE);
    }

    @ParameterizedTest
    @CsvSource({"STANDALONE, Lettuce", "H2, ShedLock"})
    void thePageNamesTheMeasuredVersions(BenchDeployment deployment, String peer) {
        assertThat(Facts.now(BenchPlan.QUICK.on(deployment)).versions())
                .containsKeys("Java", peer)
                .doesNotContainValue("")
                .allSatisfy((library, version) -> assertThat(version).doesNotContain("${"));
    }

    @ParameterizedTest
    @CsvSource({"standalone, 230", "cluster, 45", "postgresql, 25", "zookeeper, 20", "etcd, 20", "--quick, 3"})
    void runFitsIntoItsTime(String what, long minutes) {
        Bench bench = what.startsWith("--") ? parse(what) : parse("--deployment", what);
        assertThat(Runner.estimate(bench.plan(), bench.wanted(), bench.chosen()))
                .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(minutes));
    }

    @Test
    void scenariosWithRateOrWaitTargetsAreMeasuredFiveTimes() {
        for (Scenario scenario :
                parse("--scenarios", "S1,S2,S3,S4,S7,S12,S13,S14").wanted()) {
            for (Point point : scenario.points(BenchPlan.FULL)) {
                assertThat(scenario.repetitions(BenchPlan.FULL, point))
                        .as("%s, %s", scenario.id(), point.id())
                        .isEqualTo(5);
            }
        }
    }

    @Test
    void scenariosContendersAndTimesCanBeChosen() {
        Bench bench = parse("--scenarios", "S3,S1", "--contenders", "boltwork,jedis", "--seconds", "0.5");
        assertThat(bench.wanted()).extracting(Scenario::id).containsExactly("S1", "S3");
        assertThat(bench.chosen()).containsExactly(Entrant.BOLTWORK, Entrant.JEDIS);
        assertThat(bench.plan().millis()).isEqualTo(500);
        assertThat(bench.plan().warmUpMillis()).isEqualTo(500);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --scenarios   | S99  | there is no scenario 'S99'; there are S1, S2
            --contenders  | zoo  | there is no contender 'zoo'; there are boltwork, boltwork-fifo
            --deployment  | moon | expected one of [STANDALONE, CLUSTER, POSTGRESQL, MARIADB, \
            H2, ZOOKEEPER, ETCD] (case-insensitive) but was 'moon'
            --repetitions | 0    | must be between 1 and 100, but is 0
            --seconds     | 0.01 | must be between 0.1 and 600, but is 0.01
            """)
    void wrongOptionsAreExplained(String option, String value, String why) {
        StringWriter err = new StringWriter();
        int code = Bench.commandLine().setErr(new PrintWriter(err)).execute(option, value);
        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("Invalid value for option '" + option + "': " + why);
    }

    @Test
    void clusterRunRejectsAScenarioThatDoesNotExistThere() {
        StringWriter err = new StringWriter();
        int code = Bench.commandLine()
                .setErr(new PrintWriter(err))
                .execute("--deployment", "cluster", "--scenarios", "S1");
        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("there is no scenario 'S1' on a cluster; there are S3, S4, S7, S10");
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void messageOnAClusterReachesItsSubscriber() throws Exception {
        Scenario scenario = new Handoff();
        BenchPlan plan = new BenchPlan(BenchDeployment.CLUSTER, true, 1, 100, 200, 1);
        Sample sample = scenario.measure(plan, scenario.points(plan).get(0), Entrant.PUBLISH, 1);
        assertThat(sample.failure()).isNull();
        assertThat(sample.figures().get(Figure.WAIT_P50)).isPositive();
        assertThat(sample.figures().get(Figure.REQUESTS)).isGreaterThanOrEqualTo(1);
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    @EnumSource(names = {"STANDALONE", "CLUSTER"})
    void measurementInASeparateJvmHasAllFigures(BenchDeployment deployment) throws Exception {
        Scenario scenario = new OneThread();
        // long enough that the requests which open connections do not count much
        BenchPlan plan = new BenchPlan(deployment, true, 1, 500, 1_000, 1);
        Sample sample = scenario.measure(plan, scenario.points(plan).get(0), Entrant.BOLTWORK, 1);
        assertThat(sample.violations()).isZero();
        assertThat(sample.failure()).isNull();
        Map<Figure, Double> figures = sample.figures();
        assertThat(figures).containsKeys(scenario.columns().toArray(Figure[]::new));
        assertThat(figures.get(Figure.THROUGHPUT)).isPositive();
        assertThat(figures.get(Figure.REQUESTS)).isBetween(2.0, 2.5);
        assertThat(figures.get(Figure.JAIN)).isEqualTo(1);
        assertThat(figures.get(Figure.WAIT_P50)).isPositive().isLessThanOrEqualTo(figures.get(Figure.WAIT_MAX));
    }

    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    @ParameterizedTest
    @MethodSource("sharedLocks")
    void measurementOfASharedLockHasAllFigures(Scenario scenario, Point point, Entrant entrant) throws Exception {
        BenchPlan plan = new BenchPlan(BenchDeployment.STANDALONE, true, 1, 100, 200, 1);
        Sample sample = scenario.measure(plan, point, entrant, 1);
        assertThat(sample.failure()).isNull();
        assertThat(sample.violations()).isZero();
        assertThat(sample.figures())
                .containsKeys(scenario.columns().toArray(Figure[]::new))
                .doesNotContainValue(Double.NaN);
        assertThat(sample.figures().get(Figure.THROUGHPUT)).isPositive();
    }

    /** The first point of each scenario with its first contender, and all of them with -Dboltwork.proof=true. */
    private static Stream<Arguments> sharedLocks() {
        boolean proof = Boolean.getBoolean("boltwork.proof");
        long points = proof ? Long.MAX_VALUE : 1;
        long contenders = proof ? Long.MAX_VALUE : 1;
        return Stream.of("S12", "S13", "S14", "S15", "S16", "S17", "S18")
                .map(Scenario::of)
                .flatMap(scenario -> {
                    BenchPlan plan = scenario instanceof OtherKinds ? BenchPlan.FULL : BenchPlan.QUICK;
                    return scenario.points(plan).stream()
                            .limit(points)
                            .flatMap(point -> scenario.entrants(plan, point).stream()
                                    .limit(contenders)
                                    .map(entrant -> Arguments.of(scenario, point, entrant)));
                });
    }

    private static Bench parse(String... args) {
        CommandLine line = Bench.commandLine();
        line.parseArgs(args);
        return line.getCommand();
    }
}
