// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.scenario.ScenarioResults;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the page of databases, ZooKeeper and etcd agrees with the data. */
class StorePageTest {
    @TempDir
    private Path directory;

    @Test
    void pageShowsRatiosAndTargetsOfEachStore() {
        String page = new StorePage(
                        List.of(
                                results("S1", "1 thread", BenchDeployment.POSTGRESQL, "abc"),
                                results("S7", "2 JVMs", BenchDeployment.POSTGRESQL, "abc"),
                                results("S7", "2 JVMs", BenchDeployment.MARIADB, "abc")),
                        EarlierPage.NONE)
                .text();
        assertThat(page)
                .contains("## PostgreSQL\n", "## MariaDB\n", "| measured at commit | abc |")
                .doesNotContain("## H2", "## ZooKeeper", "## etcd")
                .contains("| S1 | 1 thread: pairs/s, Boltwork / JdbcLockRegistry | ≥ 0.9 | 2 | yes |")
                .contains("| S1 | 1 thread: pairs/s, Boltwork / ShedLock | ≥ 0.9 | – | not measured |")
                .contains("| S7 | 2 JVMs: wait p50, µs, Boltwork / JdbcLockRegistry | ≤ 0.1 | 0.5 | **no** |")
                .contains("| S7 | 2 JVMs: wait p50, µs, Boltwork / JdbcLockRegistry | ≤ 0.7 | 0.5 | yes |")
                .contains("### PostgreSQL, S1: One thread", "### MariaDB, S7: Hand-off")
                .contains("`bench/run --deployment postgresql --scenarios S1`")
                .contains("× JdbcLockRegistry", "server CPU, µs")
                .doesNotContain("bytes in", "commands in scripts", "Jedis");
    }

    @Test
    void pageKeepsTheStoresThatWereNotMeasuredAgain() {
        String first = new StorePage(
                        List.of(
                                results("S1", "1 thread", BenchDeployment.POSTGRESQL, "old"),
                                results("S1", "1 thread", BenchDeployment.MARIADB, "old")),
                        EarlierPage.NONE)
                .text();
        String second = new StorePage(
                        List.of(results("S1", "1 thread", BenchDeployment.MARIADB, "new")), new EarlierPage(first))
                .text();
        assertThat(second.substring(second.indexOf("## PostgreSQL"), second.indexOf("## MariaDB")))
                .contains("### Targets on PostgreSQL", "≥ 0.9 | 2 | yes |", "### PostgreSQL, S1:", "at commit old");
        assertThat(second.substring(second.indexOf("## MariaDB")))
                .contains("at commit new")
                .doesNotContain("at commit old");
    }

    @Test
    void shortPageHasEachStore() {
        String whole = new StorePage(
                        List.of(
                                results("S1", "1 thread", BenchDeployment.POSTGRESQL, "abc"),
                                results("S7", "2 JVMs", BenchDeployment.MARIADB, "abc")),
                        EarlierPage.NONE)
                .text();
        String page = new ShortPage(BenchDeployment.H2.onSamePage(), new EarlierPage(whole), EarlierPage.NONE).text();
        assertThat(page)
                .startsWith("# Databases, ZooKeeper and etcd\n")
                .contains(
                        "`bench/run --deployment postgresql`",
                        "### Scenarios on PostgreSQL",
                        "### Scenarios on MariaDB")
                .contains("| S1 | pairs/s ÷ JdbcLockRegistry | ≥ 0.9 | 1 thread: 2 |")
                .contains("| S7 | wait p50, µs ÷ JdbcLockRegistry | ≤ 0.7 | 2 JVMs: 0.5 |")
                .doesNotContain("## H2", "## ZooKeeper", "## etcd", "Jedis");
    }

    @Test
    void redisAndOtherStoresHavePagesOfTheirOwn() {
        Store store = new Store(directory);
        store.save(results("S1", "1 thread", BenchDeployment.STANDALONE, "abc"));
        store.save(results("S1", "1 thread", BenchDeployment.H2, "abc"));
        Selection stores = Selection.of(store, facts(BenchDeployment.ZOOKEEPER, "abc"));
        assertThat(stores.results()).extracting(ScenarioResults::key).containsExactly("h2-S1");
        assertThat(stores.others()).isEmpty();
        assertThat(stores.remarks())
                .contains("Missing: bench/run --deployment h2 --scenarios S3,S4,S7")
                .contains("Missing: bench/run --deployment zookeeper --scenarios S1,S3,S4,S7")
                .noneMatch(remark -> remark.contains("--jmh") || remark.contains("cluster"));
        assertThat(Selection.newest(store, BenchDeployment.CLUSTER).results())
                .extracting(ScenarioResults::key)
                .containsExactly("S1");
    }

    private static ScenarioResults results(String scenario, String point, BenchDeployment store, String commit) {
        return new ScenarioResults(
                scenario,
                "2026-01-01 10:00 to 10:07 UTC",
                facts(store, commit),
                List.of(sample(point, Entrant.BOLTWORK, 200, 50), sample(point, Entrant.JDBC_REGISTRY, 100, 100)));
    }

    private static Facts facts(BenchDeployment store, String commit) {
        return new Facts(commit, BenchPlan.FULL.on(store), Map.of("processor", "fast"), Map.of());
    }

    private static Sample sample(String point, Entrant entrant, double throughput, double wait) {
        Map<Figure, Double> figures = Map.of(Figure.THROUGHPUT, throughput, Figure.WAIT_P50, wait);
        return new Sample(point, entrant.id(), 1, 0, false, 0, null, figures, null);
    }
}
