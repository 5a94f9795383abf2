// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.scenario.Scenario;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page in {@code docs}: the figures of a whole page that matter, in few rows. Scenarios that the whole page does
 * not have keep their rows.
 */
public final class ShortPage {
    private static final String TARGETS = "Targets";

    /** The figures for which the page names a better peer. */
    private static final Set<String> FIGURES = EnumSet.of(
                    Figure.THROUGHPUT,
                    Figure.WAIT_P50,
                    Figure.WAIT_P99,
                    Figure.WRITE_WAIT_P99,
                    Figure.AFTER,
                    Figure.SERVER_CPU,
                    Figure.SERVER_CPU_SHARE,
                    Figure.HEAP_HELD,
                    Figure.REDIS_HELD,
                    Figure.REDIS_IDLE)
            .stream()
            .map(Figure::title)
            .collect(Collectors.toSet());

    private final List<BenchDeployment> deployments;
    private final EarlierPage whole;
    private final EarlierPage earlier;
    private final Markdown out = new Markdown();

    /**
     * @param deployments the deployments of the page
     * @param whole the whole page
     * @param earlier the short page that this one replaces
     */
    public ShortPage(List<BenchDeployment> deployments, EarlierPage whole, EarlierPage earlier) {
        this.deployments = deployments;
        this.whole = whole;
        this.earlier = earlier;
    }

    /** Returns the text of the page. May be called once. */
    public String text() {
        boolean redis = deployments.contains(BenchDeployment.STANDALONE);
        out.paragraph(redis ? "# Performance" : "# Databases, ZooKeeper and etcd");
        out.paragraph(deployments.stream()
                        .map(deployment -> "`bench/run" + deployment.option() + "`")
                        .collect(Collectors.joining(", "))
                + ": these commands write this page; do not edit it. `--scenarios S1` measures one scenario. The whole"
                + " page, with all figures" + (redis ? ", plots" : "") + " and the method, goes to"
                + " `bench/target/results`. Absolute numbers hold for this machine only: compare the ratios.");
        whole.warnings().forEach(out::paragraph);
        out.paragraph("Figures are Boltwork's medians, and ÷ is a ratio within one run. A figure that misses its target"
                + " is **bold**. A peer is listed where it is better by more than 3 % in throughput,"
                + " waiting, the server's processor time or memory.");
        deployments.forEach(this::deployment);
        out.paragraph("## " + ResultPage.CONDITIONS);
        out.row("", "");
        out.line("|---|---|");
        Map<String, String> facts = whole.facts().isEmpty() ? earlier.facts() : whole.facts();
        facts.forEach((name, value) -> out.row(name, value));
        out.line();
        (whole.has(ResultPage.ENGINE) ? whole : earlier).keep(out, ResultPage.ENGINE, facts);
        return out.toString().stripTrailing() + "\n";
    }

    private void deployment(BenchDeployment deployment) {
        boolean first = deployment == BenchDeployment.STANDALONE;
        String level = first ? "## " : "### ";
        String place = first ? "" : " on " + deployment.title().replaceFirst("^a ", "the ");
        String targets = level + TARGETS + place;
        if (!whole.has(targets) && !earlier.has(targets)) {
            return;
        }
        if (deployment == BenchDeployment.CLUSTER) {
            out.paragraph(ResultPage.CLUSTER);
        } else if (!first) {
            out.paragraph("## " + deployment.title());
        }
        String peers = level + "Where a peer is better" + place;
        table(targets, targets, "| | figure | target | measured |", id -> targets(whole.rows(targets, id)));
        table(peers, targets, "| where | best peer | its figures (Boltwork's) |", id -> peers(whole.rows(peers, id)));
        table(level + "Scenarios" + place, targets, "| | scenario | commit |", id -> {
            String heading = ScenarioSection.heading(level.strip(), deployment, Scenario.of(id));
            return Markdown.cells(id, Scenario.of(id).title(), whole.commit(heading)) + "\n";
        });
    }

    /**
     * Writes a table with the rows of each scenario.
     *
     * @param targets the heading of the targets: a scenario with rows there is on the whole page
     * @param rows the rows of a scenario that is on the whole page, by its id
     */
    private void table(String heading, String targets, String head, UnaryOperator<String> rows) {
        out.paragraph(heading);
        out.line(head);
        out.line(head.replaceAll("[^|]+", "---"));
        for (Scenario scenario : Scenario.all()) {
            Stream<String> lines = whole.rows(targets, scenario.id()).isEmpty()
                    ? earlier.rows(heading, scenario.id()).stream()
                    : rows.apply(scenario.id()).lines();
            lines.forEach(out::line);
        }
        out.line();
    }

    /** Returns a row for each figure and bound of a scenario, with all points at which it was measured. */
    private static String targets(List<String> rows) {
        Map<String, String> figures = new LinkedHashMap<>();
        for (String row : rows) {
            List<String> cells = Markdown.cellsOf(row);
            String[] what = cells.get(1).split(": ", 2);
            String measured = cells.get(cells.size() - 2);
            String marked = cells.get(cells.size() - 1).equals("**no**") ? "**" + measured + "**" : measured;
            add(
                    figures,
                    String.join(" | ", cells.get(0), ofBoltwork(what[what.length - 1]), cells.get(2)),
                    what.length > 1 ? what[0] + ": " + marked : marked);
        }
        return joined(figures);
    }

    /** Returns the name of a figure without that of Boltwork. */
    private static String ofBoltwork(String figure) {
        String name = ", " + Entrant.BOLTWORK.title();
        return figure.replace(name + " / ", " ÷ ").replaceFirst(name + "$", "");
    }

    /** Returns a row for each point at which a peer is better, with all figures. */
    private static String peers(List<String> rows) {
        Map<String, String> peers = new LinkedHashMap<>();
        for (String row : rows) {
            List<String> cells = Markdown.cellsOf(row);
            if (FIGURES.contains(cells.get(1))) {
                add(
                        peers,
                        cells.get(0) + " | " + cells.get(4),
                        cells.get(1) + ": " + cells.get(3) + " (" + cells.get(2) + ")");
            }
        }
        return joined(peers);
    }

    private static void add(Map<String, String> rows, String row, String value) {
        rows.merge(row, value, (one, other) -> one + "; " + other);
    }

    private static String joined(Map<String, String> rows) {
        return rows.entrySet().stream()
                .map(row -> Markdown.cells(row.getKey(), row.getValue()) + "\n")
                .collect(Collectors.joining());
    }
}
