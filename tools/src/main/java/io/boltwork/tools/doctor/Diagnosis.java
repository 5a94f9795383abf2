// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import io.boltwork.tools.Failure;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The findings of an examination. Not thread-safe. */
final class Diagnosis implements Printed {
    /** A part of the message of a client that only looks, if there is nothing to look at. */
    private static final String NO_STORE = "no store of Boltwork here";

    private final List<StoreFinding> findings = new ArrayList<>();
    private final List<Timing> timings = new ArrayList<>();
    private final Map<String, Double> clocks = new TreeMap<>();
    private List<NodeStatus> servers = List.of();
    private boolean unreachable;

    void severe(String topic, String server, String problem, String meaning, String remedy) {
        add(new StoreFinding(Severity.SEVERE, topic, server, problem, meaning, remedy));
    }

    void warning(String topic, String server, String problem, String meaning, String remedy) {
        add(new StoreFinding(Severity.WARNING, topic, server, problem, meaning, remedy));
    }

    void note(String topic, String server, String problem, String meaning, String remedy) {
        add(new StoreFinding(Severity.NOTE, topic, server, problem, meaning, remedy));
    }

    private void add(StoreFinding finding) {
        findings.add(finding);
    }

    /** Adds a finding about a client that could not be opened, with the library's own explanation. */
    void cannotConnect(String server, BackendException why) {
        unreachable = why.isRetryable();
        String problem = Failure.withOptions(String.valueOf(why.getMessage()));
        if (problem.contains(NO_STORE)) {
            note(
                    "store",
                    server,
                    problem,
                    "no application has used locks here yet, or applications use another address or prefix",
                    "start an application, which makes what is missing, or correct --uri and --prefix");
            return;
        }
        severe("connection", server, problem, "no client can take a lock here", Remedies.ofFailure(problem));
    }

    /** Adds a finding about a lock that could not be acquired, unless the server has already said that it refuses. */
    void cannotLock(String server, BackendException why) {
        if (servers.stream().noneMatch(node -> node.reachable() && node.refuses())) {
            String problem = Failure.withOptions(String.valueOf(why.getMessage()));
            severe("locks", server, problem, "no lock can be acquired now", Remedies.ofFailure(problem));
        }
    }

    /** Adds what the library itself warns of. */
    void health(String store, ClientHealth health) {
        servers = health.nodes();
        for (NodeStatus node : health.nodes()) {
            if (!node.problem().isEmpty()) {
                boolean holdsLocks = node.role() == NodeStatus.Role.MASTER;
                add(new StoreFinding(
                        holdsLocks ? Severity.SEVERE : Severity.WARNING,
                        "server",
                        node.address(),
                        node.problem(),
                        holdsLocks
                                ? "locks of this server cannot be used"
                                : "this server cannot replace or announce the master",
                        Remedies.ofFailure(node.problem())));
            }
        }
        for (String warning : health.warnings()) {
            Remedies.ofWarning(store, warning).forEach(this::add);
        }
    }

    void timing(Timing timing) {
        timings.add(timing);
    }

    /** Sets the number of seconds by which the clock of a server is ahead of the clock of this machine. */
    void clock(String server, double secondsAhead) {
        clocks.put(server, secondsAhead);
    }

    Map<String, Double> clocks() {
        return Map.copyOf(clocks);
    }

    List<StoreFinding> findings() {
        return findings.stream()
                .sorted(Comparator.comparing(StoreFinding::severity))
                .toList();
    }

    boolean isSevere() {
        return findings.stream().anyMatch(finding -> finding.severity() == Severity.SEVERE);
    }

    /** Marks the server as reachable, because it has answered. */
    void reached() {
        unreachable = false;
    }

    /** Returns whether no server could be reached. */
    boolean isUnreachable() {
        return unreachable;
    }

    @Override
    public void table(PrintWriter out) {
        measured(out);
        for (StoreFinding finding : findings()) {
            out.println(
                    Printable.text(finding.severity().heading() + "  " + finding.topic() + " on " + finding.server()));
            out.println("  Found      " + Printable.text(finding.problem()));
            out.println("  For locks  " + Printable.text(finding.meaning()));
            out.println("  Change     " + Printable.text(finding.remedy()));
            out.println();
        }
        long severe = count(Severity.SEVERE);
        long warnings = count(Severity.WARNING);
        out.println(
                severe + warnings == 0
                        ? "No changes needed."
                        : severe + " must be changed, " + warnings + " should be changed.");
    }

    private long count(Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }

    private void measured(PrintWriter out) {
        if (!servers.isEmpty()) {
            Table table = new Table("SERVER", "ROLE", "VERSION", ">CLOCK");
            for (NodeStatus node : servers) {
                Double ahead = clocks.get(node.address());
                table.row(
                        node.address(),
                        node.role().name().toLowerCase(Locale.ROOT),
                        node.version(),
                        ahead == null ? "-" : String.format(Locale.ROOT, "%+.3f s", ahead));
            }
            table.print(out);
            out.println();
        }
        if (!timings.isEmpty()) {
            Table table = new Table("MEASURED", "SERVER", ">TIMES", ">MEDIAN", ">P99");
            for (Timing timing : timings) {
                table.row(
                        timing.what(), timing.server(), timing.times(), millis(timing.median()), millis(timing.p99()));
            }
            table.print(out);
            out.println();
        }
    }

    static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.2f ms", time.toNanos() / 1e6);
    }

    @Override
    public void json(JsonWriter out) throws IOException {
        out.object(() -> {
            out.flag("severe", isSevere());
            out.array(
                    "findings",
                    findings(),
                    finding -> out.object(() -> {
                        out.text("severity", finding.severity().name());
                        out.text("topic", finding.topic());
                        out.text("server", finding.server());
                        out.text("problem", finding.problem());
                        out.text("meaning", finding.meaning());
                        out.text("remedy", finding.remedy());
                    }));
            out.array(
                    "timings",
                    timings,
                    timing -> out.object(() -> {
                        out.text("what", timing.what());
                        out.text("server", timing.server());
                        out.number("times", timing.times());
                        out.number("medianMillis", timing.median().toNanos() / 1e6);
                        out.number("p99Millis", timing.p99().toNanos() / 1e6);
                    }));
            out.array(
                    "clocks",
                    clocks.entrySet(),
                    clock -> out.object(() -> {
                        out.text("server", clock.getKey());
                        out.number("secondsAhead", clock.getValue());
                    }));
        });
    }
}
