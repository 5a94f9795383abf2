// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import io.boltwork.bench.scenario.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The whole page about Redis, from which {@link ShortPage} takes that of {@code docs}. */
public final class ResultPage {
    static final String CONDITIONS = "Machine, versions, method";
    static final String COMMIT = "measured at commit";
    private static final String TARGETS = "## Targets";
    private static final String PEERS = "## Where a peer is better";
    static final String CLUSTER = "## On a Redis Cluster";
    private static final String CLUSTER_TARGETS = "### Targets on the cluster";
    private static final String CLUSTER_PEERS = "### Where a peer is better on the cluster";
    static final String ENGINE = "## The engine alone";

    private final List<ScenarioResults> all;
    private final List<ScenarioResults> standalone;
    private final List<ScenarioResults> cluster;
    private final @Nullable EngineAlone engine;
    private final Map<String, List<String>> plots;
    private final EarlierPage earlier;
    private final Map<String, String> facts;
    private final Markdown out = new Markdown();

    /**
     * @param all the results of one commit on one machine
     * @param engine the results of JMH
     * @param plots the plot files of each result by its key, relative to the page
     */
    public ResultPage(List<ScenarioResults> all, @Nullable EngineAlone engine, Map<String, List<String>> plots) {
        this(all, engine, plots, EarlierPage.NONE);
    }

    /** Creates a page that keeps the sections of an earlier one that these results do not replace. */
    public ResultPage(
            List<ScenarioResults> all,
            @Nullable EngineAlone engine,
            Map<String, List<String>> plots,
            EarlierPage earlier) {
        this.all = all;
        this.standalone = on(BenchDeployment.STANDALONE);
        this.cluster = on(BenchDeployment.CLUSTER);
        this.engine = engine;
        this.plots = plots;
        this.earlier = earlier;
        this.facts = facts(all, earlier);
    }

    /** Returns the machine, versions and commit of these results, or those of an earlier page if there are none. */
    static Map<String, String> facts(List<ScenarioResults> all, EarlierPage earlier) {
        Map<String, String> facts = new LinkedHashMap<>();
        for (ScenarioResults results : all) {
            facts.putAll(results.facts().machine());
            facts.putAll(results.facts().versions());
            facts.put(COMMIT, results.facts().commit());
        }
        return all.isEmpty() ? earlier.facts() : facts;
    }

    private List<ScenarioResults> on(BenchDeployment deployment) {
        return all.stream()
                .filter(results -> results.deployment() == deployment)
                .toList();
    }

    /** Returns the text of the page. May be called once. */
    public String text() {
        out.paragraph("# Performance");
        introduction();
        if (!standalone.isEmpty() || earlier.has(TARGETS)) {
            EntrantComparison comparison = new EntrantComparison(out, standalone, earlier);
            out.paragraph(TARGETS);
            out.paragraph("Medians of the repetitions. Ratios are within one run.");
            comparison.targets(TARGETS);
            out.paragraph(PEERS);
            comparison.peers(PEERS);
        }
        conditions();
        sections("##", standalone);
        onACluster();
        engine();
        return out.toString();
    }

    private void introduction() {
        out.paragraph(
                "`bench/run` writes this page from what it measured; do not edit it. Absolute numbers hold for this"
                        + " machine only, whose processors the clients share with Redis. Compare the ratios, and"
                        + " measure on your own machine.");
        List<String> voided = all.stream()
                .filter(ScenarioResults::isVoid)
                .map(ScenarioResults::key)
                .toList();
        if (!voided.isEmpty()) {
            out.paragraph("**VOID: a lock did not exclude in " + String.join(", ", voided) + "**; see the remarks.");
        }
        String missing = Scenario.all().stream()
                .map(Scenario::id)
                .filter(id -> standalone.stream()
                        .noneMatch(results -> results.scenario().equals(id)))
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            out.paragraph("Not measured at this commit on one server: " + missing + ".");
        }
        if (all.stream().anyMatch(results -> results.facts().plan().quick())) {
            out.paragraph("**A quick run** only shows that everything works. It is too short for comparisons.");
        }
    }

    private void conditions() {
        out.paragraph("## " + CONDITIONS);
        out.row("", "");
        out.line("|---|---|");
        facts.forEach((name, value) -> out.row(name, value));
        out.line();
        method();
        contenders(facts.getOrDefault(Facts.LETTUCE_SOCKETS, "unknown sockets"));
    }

    private void method() {
        out.paragraph("`bench/run` measures all scenarios with all contenders, `bench/run --scenarios S1` measures one"
                + " scenario, and `bench/run --deployment cluster` measures on a cluster. `bench/run --help`"
                + " explains the other options. The raw data are in `bench/target/results`. Scenarios may"
                + " have been measured at different times. Where the commit, the machine or a version was another"
                + " one than in the table, the scenario's section says so.");
        List.of(
                        "Each measurement starts its own Redis servers, without persistence, and its own JVMs. The"
                                + " JVMs warm up first: sixteen threads use locks of their own, then the measured"
                                + " work is rehearsed. The rehearsal takes at least half a second, four seconds where"
                                + " the processor time of one JVM decides (S1, S2, S10, S12 to S14), and longer where a"
                                + " lock passes from JVM to JVM (S4, S5, S7, S10, S12, S13). Loads (S1 to S4, S10 to"
                                + " S14) are"
                                + " rehearsed until the JVM's compilers work for less than 3 % of a second, but for"
                                + " at most 6 s with one JVM, 21 s with several, and 45 s in S10.",
                        "On Linux, one process per processor keeps that processor awake. It runs only when no other"
                                + " process wants to (`SCHED_IDLE`). Without these processes, a contender that keeps"
                                + " a processor busy would have the faster processor.",
                        "Contenders take turns in each repetition, and each repetition begins with another contender."
                                + " Each table gives its number of repetitions: five where throughput or waiting on"
                                + " one server has a target (S1 to S4, S7, S12 to S14), fewer elsewhere. From S5 on,"
                                + " scenarios measure only what the targets need, so some contenders are missing"
                                + " there.",
                        "Each lock guards an unsafe counter and the number of the thread inside, in memory that the"
                                + " JVMs share. A lost update or an overlap voids the run. So does a reader that sees a"
                                + " writer, or one thread inside more than there are permits.",
                        "A measurement during which other processes used more than a tenth of a processor is"
                                + " discarded and repeated.",
                        "A thread asks again as soon as it has released the lock. Throughput counts turns that ended"
                                + " within the time. Waits count to their end.",
                        "Requests are what clients send, and commands are what their scripts call. Redis counts both"
                                + " (`INFO`). CPU is the time of the measured JVMs and of Redis. All of these figures"
                                + " are per pair of lock and unlock unless a column says otherwise.")
                .forEach(out::item);
        out.line();
    }

    private void contenders(String lettuce) {
        out.paragraph(
                "Contenders that are built on Lettuce use the sockets that Lettuce chooses: on Linux Netty's epoll,"
                        + " which comes with Boltwork. Redisson uses Java's sockets (`TransportMode.NIO`), its"
                        + " default.");
        out.row("contender", "description", "transport");
        out.line("|---|---|---|");
        Stream.of(Entrant.values())
                .filter(entrant -> entrant.isOn(BenchDeployment.STANDALONE))
                .forEach(entrant -> out.row("`" + entrant.id() + "`", entrant.title(), entrant.transport(lettuce)));
        out.line();
    }

    private void onACluster() {
        if (cluster.isEmpty() && !earlier.has(CLUSTER)) {
            return;
        }
        out.paragraph(CLUSTER);
        out.paragraph("Three masters without replicas run on the same machine, each with a third of the slots. Boltwork"
                + " connects with `RedisBackend.connectCluster`, Redisson with `useClusterServers`. One lock"
                + " is on one master, and the other masters do not help. Many locks spread over all three."
                + " Waiting clients, Redisson's too, listen on sharded channels (`SPUBLISH`). The floors go"
                + " straight to the slot's master: the two scripts, or an SPUBLISH with a subscriber there."
                + " Counters are sums over all three masters.");
        out.paragraph(
                "Boltwork does not group requests on a cluster, as it does on one server. Each request of each thread"
                        + " goes out alone.");
        out.paragraph(CLUSTER_TARGETS);
        out.paragraph("The targets are those of one server. The results of one server stand beside.");
        EntrantComparison comparison = new EntrantComparison(out, cluster, earlier);
        comparison.targetsBeside(standalone, CLUSTER_TARGETS);
        out.paragraph(CLUSTER_PEERS);
        comparison.peers(CLUSTER_PEERS);
        sections("###", cluster);
    }

    /** Writes the sections of all scenarios: those that were measured, and those of the earlier page. */
    private void sections(String level, List<ScenarioResults> measured) {
        for (Scenario scenario : Scenario.all()) {
            measured.stream()
                    .filter(results -> results.scenario().equals(scenario.id()))
                    .findFirst()
                    .ifPresentOrElse(
                            results -> new ScenarioSection(out, results)
                                    .write(level, plots.getOrDefault(results.key(), List.of())),
                            () -> earlier.keep(out, level + " " + scenario.id() + ":", facts));
        }
    }

    private void engine() {
        if (engine == null) {
            earlier.keep(out, ENGINE, facts);
            return;
        }
        out.paragraph(ENGINE);
        out.paragraph(
                "JMH with `-prof gc` on a backend in memory shows what a pair costs without Redis and the network."
                        + " `bench/run --jmh`, "
                        + engine.when() + ", at commit " + engine.facts().commit() + ".");
        out.row("", "ns", "±", "B");
        out.line("|---|---:|---:|---:|");
        engine.rows()
                .forEach(row -> out.row(
                        "`" + row.name() + "`",
                        Target.number(row.nanos()),
                        Target.number(row.error()),
                        Target.number(row.bytes())));
        out.line();
    }
}
