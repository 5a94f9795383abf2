package io.boltwork.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code docs/performance.md}: everything on it comes from the data. */
final class Page {
    private final List<ScenarioResults> all;
    private final List<ScenarioResults> standalone;
    private final List<ScenarioResults> cluster;
    private final @Nullable Engine engine;
    private final Map<String, List<String>> plots;
    private final Markdown out = new Markdown();

    /**
     * @param all what was measured, by one commit on one machine
     * @param engine what JMH measured
     * @param plots the files of each result's plots, by its key, as seen from the page
     */
    Page(List<ScenarioResults> all, @Nullable Engine engine, Map<String, List<String>> plots) {
        this.all = all;
        this.standalone = on(Deployment.STANDALONE);
        this.cluster = on(Deployment.CLUSTER);
        this.engine = engine;
        this.plots = plots;
    }

    private List<ScenarioResults> on(Deployment deployment) {
        return all.stream()
                .filter(results -> results.facts().plan().deployment() == deployment)
                .toList();
    }

    /** Writes it, once. */
    String text() {
        out.paragraph("# Performance");
        introduction();
        if (!standalone.isEmpty()) {
            Comparison comparison = new Comparison(out, standalone);
            out.paragraph("## What was to be reached");
            out.paragraph("Medians of the repetitions, ratios within one run.");
            comparison.targets();
            out.paragraph("## Where a peer is better");
            comparison.peers();
        }
        conditions();
        standalone.forEach(results -> section("##", results));
        onACluster();
        engine();
        return out.toString();
    }

    private void introduction() {
        out.paragraph(
                "Written by `bench/run` from what it measured; do not edit. Absolute numbers are this machine's, whose processors"
                        + " the clients and Redis share: look at the ratios, and measure yours.");
        List<String> voided = all.stream()
                .filter(ScenarioResults::isVoid)
                .map(ScenarioResults::key)
                .toList();
        if (!voided.isEmpty()) {
            out.paragraph("**VOID: a lock did not exclude in " + String.join(", ", voided) + "**; see there.");
        }
        String missing = Scenario.all().stream()
                .map(Scenario::id)
                .filter(id -> standalone.stream()
                        .noneMatch(results -> results.scenario().equals(id)))
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            out.paragraph("Not measured at this commit, at one server: " + missing + ".");
        }
        if (all.stream().anyMatch(results -> results.facts().plan().quick())) {
            out.paragraph("**A quick run**, to see that everything works: too short to compare anything.");
        }
    }

    private void conditions() {
        out.paragraph("## Machine, versions, method");
        Map<String, String> facts = new LinkedHashMap<>();
        for (ScenarioResults results : all) {
            facts.putAll(results.facts().machine());
            facts.putAll(results.facts().versions());
            facts.put("measured at commit", results.facts().commit());
        }
        out.row("", "");
        out.line("|---|---|");
        facts.forEach((name, value) -> out.row(name, value));
        out.line();
        out.paragraph(
                "All contenders: `bench/run`, a single scenario: `bench/run --scenarios S1`, on a cluster: `bench/run --deployment"
                        + " cluster`; `bench/run --help` has the rest. The raw data are in `bench/target/results`. Scenarios may"
                        + " have been measured one by one, each when it says, all at the same commit and on the same machine.");
        List.of(
                        "Each measurement has Redis servers of its own, without persistence, and JVMs of its own, which warm up"
                                + " first: with sixteen threads on locks of their own, then with what is to be measured, for half a second"
                                + " at least, four where the processor time of one JVM decides (S1, S2, S10), longer where a lock"
                                + " passes from JVM to JVM (S4, S5, S7, S10). Loads (S1 to S4, S10, S11) are rehearsed until the"
                                + " JVM's compilers have worked for less than 3 % of a second: one JVM for at most 6 s, several for"
                                + " at most 21 s, in S10 for at most 45 s.",
                        "Processors are kept from sleeping, where Linux can, by a process each that runs only when nothing else wants"
                                + " to (`SCHED_IDLE`): else whoever keeps a processor busy would have the faster one.",
                        "Contenders take turns, repetition by repetition, each time beginning with another one. How many"
                                + " repetitions there are stands at each table: five where throughput or waiting at one server has a"
                                + " target (S1 to S4, S7), fewer elsewhere. Only what the targets need is measured in S5 to S11,"
                                + " so some contenders are missing there.",
                        "Each lock guards an unsafe counter and a mark of who is inside, in memory that the JVMs share. A lost"
                                + " update or an overlap voids the run.",
                        "A measurement during which other processes used more than a tenth of a processor is thrown away and"
                                + " made again.",
                        "Threads ask again as soon as they have given the lock back. Throughput counts turns that ended within"
                                + " the time; waits count to their end.",
                        "Requests are what clients send, commands what their scripts call, both as Redis counts them (`INFO`);"
                                + " CPU is that of the measured JVMs and of Redis. All of them are per pair of lock and unlock unless"
                                + " a column says something else.")
                .forEach(point -> out.line("- " + point));
        out.line();
        out.paragraph(
                "Who is built on Lettuce has the sockets that Lettuce chooses: Netty's epoll on Linux, which comes with Boltwork."
                        + " Redisson uses Java's sockets (`TransportMode.NIO`), as it does by default.");
        out.row("contender", "what it is", "its transport");
        out.line("|---|---|---|");
        String lettuce = facts.getOrDefault(Facts.LETTUCE_SOCKETS, "unknown sockets");
        Stream.of(Entrant.values())
                .forEach(entrant -> out.row("`" + entrant.id() + "`", entrant.title(), entrant.transport(lettuce)));
        out.line();
    }

    private void onACluster() {
        if (cluster.isEmpty()) {
            return;
        }
        out.paragraph("## On a Redis Cluster");
        out.paragraph(
                "Three masters without replicas, each with a third of the slots, on the same machine. Boltwork is connected with"
                        + " `RedisBackend.connectCluster`, Redisson with `useClusterServers`. A lock is on one master, which the others"
                        + " do not help; many locks are spread over all three. Who waits, waits on sharded channels (`SPUBLISH`),"
                        + " Redisson too. The floors go straight to the slot's master: the two scripts, or SPUBLISH there to a"
                        + " subscriber there. Counted is what all three masters do.");
        out.paragraph(
                "Boltwork does not group requests on a cluster, as it does at one server: each request of each thread goes out"
                        + " alone.");
        out.paragraph("### What was to be reached on the cluster");
        out.paragraph("The targets are those of one server; what was measured there stands beside.");
        Comparison comparison = new Comparison(out, cluster);
        comparison.targetsBeside(standalone);
        out.paragraph("### Where a peer is better on the cluster");
        comparison.peers();
        cluster.forEach(results -> section("###", results));
    }

    private void section(String level, ScenarioResults results) {
        new ScenarioSection(out, results).write(level, plots.getOrDefault(results.key(), List.of()));
    }

    private void engine() {
        if (engine == null) {
            return;
        }
        out.paragraph("## The engine alone");
        out.paragraph(
                "JMH with `-prof gc`, on a backend in memory: what a pair costs without Redis and network. `bench/run --jmh`, "
                        + engine.when() + ".");
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
