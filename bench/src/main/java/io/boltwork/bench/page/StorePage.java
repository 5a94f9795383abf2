// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The whole page about the other stores, from which {@link ShortPage} takes that of {@code docs}. */
public final class StorePage {
    private static final List<BenchDeployment> STORES = BenchDeployment.POSTGRESQL.onSamePage();

    private final List<ScenarioResults> all;
    private final EarlierPage earlier;
    private final Map<String, String> facts;
    private final Markdown out = new Markdown();

    /**
     * @param all the results on stores other than Redis, of one commit on one machine
     * @param earlier the page whose sections are kept if these results do not replace them
     */
    public StorePage(List<ScenarioResults> all, EarlierPage earlier) {
        this.all = all;
        this.earlier = earlier;
        this.facts = ResultPage.facts(all, earlier);
    }

    /** Returns the text of the page. May be called once. */
    public String text() {
        out.paragraph("# Databases, ZooKeeper and etcd");
        introduction();
        out.paragraph("## " + ResultPage.CONDITIONS);
        out.row("", "");
        out.line("|---|---|");
        facts.forEach((name, value) -> out.row(name, value));
        out.line();
        method();
        contenders();
        STORES.forEach(this::store);
        return out.toString();
    }

    private void introduction() {
        String commands = STORES.stream()
                .map(store -> "`bench/run" + store.option() + "`")
                .collect(Collectors.joining(", "));
        out.paragraph("These commands write this page from what they measured: " + commands
                + ". Do not edit it. Absolute numbers hold for this machine only, whose processors and disk the clients"
                + " share with the server. Compare the ratios, and measure on your own machine. [Performance]"
                + "(performance.md) has the same scenarios on Redis.");
        List<String> voided = all.stream()
                .filter(ScenarioResults::isVoid)
                .map(ScenarioResults::key)
                .toList();
        if (!voided.isEmpty()) {
            out.paragraph("**VOID: a lock did not exclude in " + String.join(", ", voided) + "**; see the remarks.");
        }
        if (all.stream().anyMatch(results -> results.facts().plan().quick())) {
            out.paragraph("**A quick run** only shows that everything works. It is too short for comparisons.");
        }
    }

    private void method() {
        List.of(
                        "S1: one thread locks and unlocks, and no other thread wants the lock. S3: threads of one JVM"
                                + " lock and unlock the same lock as often as they can. S4: the same with four threads"
                                + " in each of four JVMs. S7: a lock goes back and forth between two JVMs, for five"
                                + " times as long as other measurements. The time is from before unlock() in one JVM"
                                + " until lock() returns in the other, which has waited for 20 to 120 ms. This time is"
                                + " random, so that releases fall into every phase of a client that polls. The JVM that"
                                + " has released the lock asks again only after the other one has got it. Otherwise a"
                                + " client that polls would often lose the lock again to the JVM that has just released"
                                + " it, and only its lucky polls would count.",
                        "Each measurement starts a server with new data on the disk, and its own JVMs. A warm-up of the"
                                + " clients precedes, which is a warm-up of the server, too.",
                        "A commit is as durable as users have it. PostgreSQL: `fsync`, `synchronous_commit` and"
                                + " `full_page_writes` on. MariaDB: `innodb_flush_log_at_trx_commit=1`. H2: a TCP"
                                + " server with its defaults, which writes to the disk within half a second after"
                                + " a commit. ZooKeeper: one server with its defaults, which forces each write to the"
                                + " disk. etcd: one member with its defaults, which does the same. All other settings"
                                + " are defaults, too.",
                        "Boltwork and the peers use the same server and, on a database, a HikariCP pool with its"
                                + " defaults in each JVM. On etcd, both send JSON to its gateway with the JDK's"
                                + " `HttpClient`. The leases are 30 s.",
                        "Each lock guards an unsafe counter and the number of the thread inside, in memory that the"
                                + " JVMs share. A lost update or an overlap voids the run.",
                        "All else is as on Redis: repetitions, rehearsals, and what disturbs a measurement.")
                .forEach(out::item);
        out.line();
    }

    private void contenders() {
        out.row("contender", "description", "on");
        out.line("|---|---|---|");
        for (Entrant entrant : Entrant.values()) {
            List<String> places = STORES.stream()
                    .filter(entrant::isOn)
                    .map(BenchDeployment::title)
                    .toList();
            if (!places.isEmpty()) {
                out.row("`" + entrant.id() + "`", description(entrant), String.join(", ", places));
            }
        }
        out.line();
    }

    private static String description(Entrant entrant) {
        return switch (entrant) {
            case JDBC_REGISTRY ->
                "Spring Integration's `JdbcLockRegistry` with its defaults: a waiting client asks every 100 ms";
            case SHEDLOCK ->
                "ShedLock's `JdbcTemplateLockProvider` with the database's time. It cannot wait for a lock, so it takes"
                        + " part in S1 only";
            case CURATOR -> "Curator's `InterProcessMutex` with the retry policy of its documentation";
            case ETCD_LOCK ->
                "etcd's own lock, `/v3/lock/lock` and `/v3/lock/unlock`, with a lease for each thread that is kept"
                        + " alive";
            default ->
                "Boltwork with its defaults. On MariaDB and H2, a waiting client asks every 50 ms; PostgreSQL,"
                        + " ZooKeeper and etcd send messages";
        };
    }

    private void store(BenchDeployment store) {
        List<ScenarioResults> measured =
                all.stream().filter(results -> results.deployment() == store).toList();
        String heading = "## " + store.title();
        if (measured.isEmpty() && !earlier.has(heading)) {
            return;
        }
        out.paragraph(heading);
        String targets = "### Targets on " + store.title();
        out.paragraph(targets);
        out.paragraph("Medians of the repetitions. Ratios are within one run.");
        EntrantComparison comparison = new EntrantComparison(out, measured, earlier);
        comparison.targets(targets);
        String peers = "### Where a peer is better on " + store.title();
        out.paragraph(peers);
        comparison.peers(peers);
        for (Scenario scenario : Scenario.all()) {
            measured.stream()
                    .filter(results -> results.scenario().equals(scenario.id()))
                    .findFirst()
                    .ifPresentOrElse(
                            results -> new ScenarioSection(out, results).write("###", List.of()),
                            () -> earlier.keep(out, ScenarioSection.heading("###", store, scenario), facts));
        }
    }
}
