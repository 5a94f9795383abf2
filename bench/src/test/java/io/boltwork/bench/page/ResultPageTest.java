// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.scenario.ScenarioResults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the page agrees with the data. */
class ResultPageTest {
    @TempDir
    private Path directory;

    @Test
    void pageShowsMediansRatiosTargetsAndBetterPeers() {
        String page = new ResultPage(List.of(results()), null, Map.of("S1", List.of("performance/S1.svg"))).text();
        assertThat(page)
                .contains("| **Boltwork** | 3,000 | 2 |") // median of 1,000, 3,000 and 5,000; Redisson has 1,500
                .contains("| Redisson getLock | 1,500 | 1 |")
                .contains("| S1 | 1 thread: pairs/s, Boltwork / Redisson getLock | ≥ 1.8 | 2 | yes |")
                .contains("| S1 | 1 thread: pairs/s, Boltwork / floor: the two scripts over Lettuce | ≥ 0.97 | 0.75 |"
                        + " **no** |")
                .contains("| S1, 1 thread | wait p50, µs | 100 | 50 | Redisson getLock |")
                .doesNotContain("| S1, 1 thread | pairs/s |")
                .contains("Redisson getLock: 1 of 3 disturbed by other processes")
                .contains("![S1](performance/S1.svg)")
                .contains("`bench/run --scenarios S1`, 2026-01-01 10:00 to 10:07 UTC, at commit abc")
                .contains("**1 thread**, medians of 3")
                .contains("| `boltwork` | Boltwork | Lettuce over epoll |")
                .contains("| `redisson` | Redisson getLock | Netty over Java's sockets |")
                .contains("| measured at commit | abc |")
                .doesNotContain("Cluster")
                .doesNotContain("VOID");
    }

    @Test
    void pageIsMadeFromStoredData() {
        Store store = new Store(directory);
        store.save(results());
        assertThat(new ResultPage(store.load(), store.loadEngine(), Map.of()).text())
                .isEqualTo(new ResultPage(List.of(results()), null, Map.of()).text());
        assertThat(directory.resolve("S1.csv"))
                .content()
                .contains("S1,\"1 thread\",\"boltwork\",1,false,0,throughput,1000.0");
    }

    @Test
    void clusterSectionShowsFiguresBesideThoseOfOneServer() {
        String point = "16 threads";
        ScenarioResults one = results("S3", point, facts(BenchPlan.FULL, "abc"));
        ScenarioResults cluster = results("S3", point, facts(BenchPlan.FULL.on(BenchDeployment.CLUSTER), "abc"));
        Store store = new Store(directory);
        store.save(cluster);
        store.save(one);
        assertThat(store.load()).extracting(ScenarioResults::key).containsExactly("S3", "cluster-S3");
        String page = new ResultPage(store.load(), null, Map.of()).text();
        int section = page.indexOf("## On a Redis Cluster");
        assertThat(page.substring(0, section))
                .contains("| S3 | 16 threads: pairs/s, Boltwork / Redisson getLock | ≥ 15 | 2 | **no** |")
                .contains("\n## S3: ");
        assertThat(page.substring(section))
                .contains("| S3 | 16 threads: pairs/s, Boltwork / Redisson getLock | ≥ 15 | 2 | 2 | **no** |")
                .contains("Boltwork does not group requests on a cluster")
                .contains("\n### S3: ", "`bench/run --deployment cluster --scenarios S3`");
    }

    @Test
    void pageUsesOnlyResultsOfOneCommitAndMachine() {
        Store store = new Store(directory);
        store.save(results("S1", "1 thread", facts(BenchPlan.FULL, "abc")));
        store.save(results("S3", "16 threads", facts(BenchPlan.FULL, "abc")));
        store.save(results("S2", "16 threads", facts(BenchPlan.FULL, "older")));
        Facts elsewhere = new Facts("abc", BenchPlan.FULL, Map.of("processor", "slow"), Map.of());
        store.save(results("S4", "4 JVMs × 4 threads", elsewhere));
        Selection selection = Selection.of(store, facts(BenchPlan.FULL, "abc"));
        assertThat(selection.results()).extracting(ScenarioResults::scenario).containsExactly("S1", "S3");
        assertThat(selection.others()).extracting(ScenarioResults::scenario).containsExactly("S2", "S4");
        assertThat(selection.remarks())
                .contains("Missing: bench/run --scenarios S2,S4,S5,S6,S7,S8,S9,S10,S11,S12,S13,S14,S15,S16,S17,S18,S19")
                .contains("Missing: bench/run --deployment cluster --scenarios S3,S4,S7,S10")
                .anyMatch(remark -> remark.startsWith("Left out") && remark.contains("S2") && remark.contains("older"));
    }

    @Test
    void pageKeepsSectionsThatWereNotMeasuredAgainWithTheirCommit() {
        Facts old = new Facts("old", BenchPlan.FULL, Map.of("processor", "fast"), Map.of("Redis", "7.0"));
        Facts now = new Facts("new", BenchPlan.FULL, Map.of("processor", "fast"), Map.of("Redis", "8.0"));
        String first = new ResultPage(
                        List.of(
                                results("S1", "1 thread", old),
                                results("S3", "16 threads", old),
                                results("S3", "16 threads", onACluster(old))),
                        null,
                        Map.of())
                .text();
        String asCommitted = first.replaceAll(",\\sat\\scommit old", ""); // the first pages did not name it
        for (String earlier : List.of(first, asCommitted)) {
            String second = page(List.of(results("S3", "16 threads", now)), earlier);
            assertThat(second)
                    .contains("| S1 | 1 thread: pairs/s, Boltwork / Redisson getLock | ≥ 1.8 | 2 | yes |")
                    .contains("| S1, 1 thread | wait p50, µs | 100 | 50 | Redisson getLock |")
                    .contains("| measured at commit | new |", "| Redis | 8.0 |")
                    .contains("Not measured at this commit on one server: S1, S2,")
                    .contains("\n## On a Redis Cluster\n", "\n### S3: ")
                    .containsOnlyOnce("| S3 | 16 threads: pairs/s, Boltwork / Redisson getLock | ≥ 15 | 2 | **no** |")
                    .containsOnlyOnce("\n## S1: ")
                    .containsOnlyOnce("\n## S3: ");
            assertThat(unwrapped(second))
                    .contains("`bench/run --scenarios S1`, 2026-01-01 10:00 to 10:07 UTC, at commit old, Redis 7.0, 2.0"
                            + " s")
                    .contains("`bench/run --scenarios S3`, 2026-01-01 10:00 to 10:07 UTC, at commit new, 2.0 s");
            assertThat(page(List.of(results("S3", "16 threads", now)), second)).isEqualTo(second);
        }
    }

    @Test
    void sectionThatIsKeptTwiceNamesWhatWasDifferent() {
        Facts old = new Facts("old", BenchPlan.FULL, Map.of(), Map.of("Java", "17", "Redis", "7.0"));
        Facts next = new Facts("next", BenchPlan.FULL, Map.of(), Map.of("Java", "17", "Redis", "7.0"));
        Facts last = new Facts("last", BenchPlan.FULL, Map.of(), Map.of("Java", "17", "Redis", "8.0"));
        String page = page(List.of(results("S1", "1 thread", old)), "");
        page = page(List.of(results("S2", "16 threads", next)), page);
        page = page(List.of(results("S3", "16 threads", last)), page);
        assertThat(unwrapped(page))
                .contains("UTC, at commit old, Redis 7.0, 2.0 s")
                .contains("UTC, at commit next, Redis 7.0, 2.0 s")
                .contains("UTC, at commit last, 2.0 s");
    }

    @Test
    void shortPageHasARowForEachFigureAndPeer() {
        String page =
                shortPage(page(List.of(results(), results("S3", "16 threads", facts(BenchPlan.FULL, "abc"))), ""), "");
        assertThat(page)
                .contains("| S1 | pairs/s ÷ Redisson getLock | ≥ 1.8 | 1 thread: 2 |")
                .contains("| S1 | pairs/s ÷ floor: the two scripts over Lettuce | ≥ 0.97 | 1 thread: **0.75** |")
                .contains("| S3 | pairs/s ÷ Redisson getLock | ≥ 3 | 2 threads: – |")
                .contains("| S1, 1 thread | Redisson getLock | wait p50, µs: 50 (100) |")
                .contains("| S1 | One thread with its own lock | abc |")
                .contains("| measured at commit | abc |")
                .doesNotContain("Cluster", "VOID", "| S2 |", "\n## S1: ");
    }

    @Test
    void shortPageKeepsRowsThatWereNotMeasuredAgain() {
        Facts old = facts(BenchPlan.FULL, "old");
        String first = shortPage(
                page(
                        List.of(
                                results("S1", "1 thread", old),
                                results("S3", "16 threads", old),
                                results("S3", "16 threads", onACluster(old))),
                        ""),
                "");
        String second = shortPage(page(List.of(results("S3", "16 threads", facts(BenchPlan.FULL, "new"))), ""), first);
        assertThat(second)
                .contains("| S1 | pairs/s ÷ Redisson getLock | ≥ 1.8 | 1 thread: 2 |")
                .contains("| S1, 1 thread | Redisson getLock | wait p50, µs: 50 (100) |")
                .contains("| S1 | One thread with its own lock | old |")
                .containsOnlyOnce("| S3 | One lock, many threads of one JVM | new |")
                .containsOnlyOnce("| S3 | One lock, many threads of one JVM | old |")
                .contains("### Scenarios on the cluster");
        assertThat(second.indexOf("| new |")).isLessThan(second.indexOf("\n## On a Redis Cluster\n"));
    }

    @Test
    void shortPageShowsThatALockDidNotExclude() {
        String warning = "**VOID: a lock did not exclude in S1**; see the remarks.";
        assertThat(shortPage("# Performance\n\n" + warning + "\n\n## Targets\n", ""))
                .contains(warning);
    }

    private static String shortPage(String whole, String earlier) {
        return new ShortPage(BenchDeployment.STANDALONE.onSamePage(), new EarlierPage(whole), new EarlierPage(earlier))
                .text();
    }

    private static String page(List<ScenarioResults> results, String earlier) {
        return new ResultPage(results, null, Map.of(), new EarlierPage(earlier)).text();
    }

    private static Facts onACluster(Facts facts) {
        return new Facts(facts.commit(), facts.plan().on(BenchDeployment.CLUSTER), facts.machine(), facts.versions());
    }

    private static String unwrapped(String page) {
        return page.replace('\n', ' ');
    }

    @Test
    void plotsAreSvg() throws Exception {
        Map<String, List<String>> files = new Plots(directory).draw(List.of(results()));
        assertThat(files).containsEntry("S1", List.of("S1-percentiles.svg"));
        assertThat(Files.readString(directory.resolve("S1-percentiles.svg"))).contains("<svg", "<path");
    }

    private static ScenarioResults results() {
        return results("S1", "1 thread", facts(BenchPlan.FULL, "abc"));
    }

    private static Facts facts(BenchPlan plan, String commit) {
        return new Facts(commit, plan, Map.of("processor", "fast"), Map.of(Facts.LETTUCE_SOCKETS, "epoll"));
    }

    private static ScenarioResults results(String scenario, String point, Facts facts) {
        List<Sample> samples = new ArrayList<>();
        for (int repetition = 1; repetition <= 3; repetition++) {
            samples.add(sample(point, Entrant.BOLTWORK, repetition, 2_000 * repetition - 1_000, 100, false));
            samples.add(sample(point, Entrant.REDISSON, repetition, 1_500, 50, repetition == 2));
            samples.add(sample(point, Entrant.SCRIPTS, repetition, 4_000, 10, false));
        }
        return new ScenarioResults(scenario, "2026-01-01 10:00 to 10:07 UTC", facts, samples);
    }

    private static Sample sample(
            String point, Entrant entrant, int repetition, double throughput, double wait, boolean disturbed) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(Figure.THROUGHPUT, throughput);
        figures.put(Figure.WAIT_P50, wait);
        Histogram waits = Wait.histogram();
        for (int i = 1; i <= 100; i++) {
            Wait.record(waits, (long) (i * wait * 1_000));
        }
        return new Sample(point, entrant.id(), repetition, 0, disturbed, 0, null, figures, Wait.encode(waits));
    }
}
