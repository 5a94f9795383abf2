// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import io.boltwork.bench.scenario.Target;
import java.util.ArrayList;
import java.util.List;

/** The section of one scenario on the page: its tables and plots. */
final class ScenarioSection {
    private final Markdown out;
    private final Scenario scenario;
    private final ScenarioResults results;

    ScenarioSection(Markdown out, ScenarioResults results) {
        this.out = out;
        this.results = results;
        this.scenario = Scenario.of(results.scenario());
    }

    /**
     * Writes the section.
     *
     * @param level the level of its heading, such as {@code ##}
     * @param plots the files, relative to the page
     */
    void write(String level, List<String> plots) {
        BenchPlan plan = results.facts().plan();
        BenchDeployment deployment = plan.deployment();
        out.paragraph(heading(level, deployment, scenario) + " " + scenario.title());
        if (deployment.isRedis()) {
            out.paragraph(scenario.about()); // the page of the other stores has descriptions of its own
        }
        out.paragraph("`bench/run" + deployment.option() + " --scenarios "
                + scenario.id() + "`, " + results.when() + ", at commit "
                + results.facts().commit() + ", " + plan.millis() / 1e3
                + " s for each measurement unless noted otherwise.");
        for (String plot : plots) {
            out.paragraph("![" + plot.substring(plot.lastIndexOf('/') + 1).replace(".svg", "") + "](" + plot + ")");
        }
        if (results.points().size() > 3) {
            map();
        }
        results.points().forEach(this::table);
    }

    /** Returns the beginning of the heading of a scenario's section, which no other section has. */
    static String heading(String level, BenchDeployment deployment, Scenario scenario) {
        return level + " " + (deployment.isRedis() ? "" : deployment.title() + ", ") + scenario.id() + ":";
    }

    /** Writes a table with the figure of the first column for all points. */
    private void map() {
        Figure figure = scenario.columns().get(0);
        List<Entrant> entrants =
                scenario.entrants().stream().filter(this::isMeasured).toList();
        List<String> heads = new ArrayList<>(List.of(figure.title()));
        entrants.stream().map(Entrant::title).forEach(heads::add);
        heads.add(Entrant.BOLTWORK.title() + " / " + Entrant.REDISSON.title());
        out.row(heads.toArray(String[]::new));
        out.line("|---|" + "---:|".repeat(entrants.size() + 1));
        for (String point : results.points()) {
            List<String> cells = new ArrayList<>(List.of(point));
            entrants.forEach(entrant -> cells.add(Target.number(results.median(point, entrant, figure))));
            cells.add(Target.number(
                    results.median(point, Entrant.BOLTWORK, figure) / results.median(point, Entrant.REDISSON, figure)));
            out.row(cells.toArray(String[]::new));
        }
        out.line();
    }

    private boolean isMeasured(Entrant entrant) {
        return results.points().stream()
                .anyMatch(point -> results.entrants(point).contains(entrant));
    }

    private void table(String point) {
        List<Figure> columns = results.columns();
        Figure first = columns.get(0);
        BenchDeployment deployment = results.deployment();
        Entrant base = deployment.isRedis() ? scenario.reference(point) : Entrant.reference(deployment);
        double reference = results.median(point, base, first);
        int repetitions = results.repetitions(point);
        out.paragraph("**" + point + "**, " + (repetitions == 1 ? "measured once" : "medians of " + repetitions));
        List<String> heads = new ArrayList<>(
                List.of("", first.title(), "× " + (base == Entrant.REDISSON ? "Redisson" : base.title())));
        columns.stream().skip(1).map(Figure::title).forEach(heads::add);
        out.row(heads.toArray(String[]::new));
        out.line("|---|" + "---:|".repeat(columns.size() + 1));
        List<String> remarks = new ArrayList<>();
        for (Entrant entrant : results.entrants(point)) {
            double value = results.median(point, entrant, first);
            List<String> cells = new ArrayList<>();
            cells.add(entrant == Entrant.BOLTWORK ? "**" + entrant.title() + "**" : entrant.title());
            cells.add(Target.number(value));
            cells.add(Target.number(value / reference));
            columns.stream()
                    .skip(1)
                    .map(figure -> Target.number(results.median(point, entrant, figure)))
                    .forEach(cells::add);
            out.row(cells.toArray(String[]::new));
            results.remarks(point, entrant).forEach(remark -> remarks.add(entrant.title() + ": " + remark));
        }
        out.line();
        remarks.forEach(out::item);
        if (!remarks.isEmpty()) {
            out.line();
        }
    }
}
