// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import io.boltwork.bench.scenario.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The overview of the results of one deployment: which targets were reached, and where a peer is better. */
final class EntrantComparison {
    /** The factor by which a peer must be better to be listed. Repetitions differ by smaller factors. */
    private static final double NOTABLE = 1.03;

    private final Markdown out;
    private final List<ScenarioResults> all;
    private final EarlierPage earlier;

    /**
     * @param all the results
     * @param earlier the page whose rows of other scenarios are kept
     */
    EntrantComparison(Markdown out, List<ScenarioResults> all, EarlierPage earlier) {
        this.out = out;
        this.all = all;
        this.earlier = earlier;
    }

    /** Writes the rows of each scenario that was measured, and those of the others that the earlier page has. */
    private void rows(String heading, Consumer<ScenarioResults> measured) {
        for (Scenario scenario : Scenario.all()) {
            all.stream()
                    .filter(results -> results.scenario().equals(scenario.id()))
                    .findFirst()
                    .ifPresentOrElse(
                            measured, () -> earlier.rows(heading, scenario.id()).forEach(out::line));
        }
    }

    /**
     * Writes the targets.
     *
     * @param heading the heading of the table
     */
    void targets(String heading) {
        out.row("", "figure", "target", "measured", "reached");
        out.line("|---|---|---:|---:|---|");
        rows(heading, results -> {
            for (Target target : Scenario.of(results.scenario()).targets(results.deployment())) {
                double measured = target.value().applyAsDouble(results);
                if (Double.isNaN(measured) && results.facts().plan().quick()) {
                    continue; // a quick run has fewer points and contenders
                }
                String reached = Double.isNaN(measured) ? "not measured" : target.reached(measured) ? "yes" : "**no**";
                out.row(results.scenario(), target.what(), target.boundText(), Target.number(measured), reached);
            }
        });
        out.line();
    }

    /** Writes the targets with the results on one server beside the results here. */
    void targetsBeside(List<ScenarioResults> others, String heading) {
        out.row("", "figure", "target", "one server", "cluster", "reached");
        out.line("|---|---|---:|---:|---:|---|");
        rows(heading, results -> {
            for (Target target : Scenario.of(results.scenario()).targets()) {
                double here = target.value().applyAsDouble(results);
                double there = others.stream()
                        .filter(other -> other.scenario().equals(results.scenario()))
                        .mapToDouble(target.value())
                        .findFirst()
                        .orElse(Double.NaN);
                if (!Double.isNaN(here)) {
                    out.row(
                            results.scenario(),
                            target.what(),
                            target.boundText(),
                            Target.number(there),
                            Target.number(here),
                            target.reached(here) ? "yes" : "**no**");
                }
            }
        });
        out.line();
    }

    void peers(String heading) {
        out.paragraph("The best peer for each figure, where that peer is better than Boltwork with its defaults by more"
                + " than 3 %.");
        Markdown table = new Markdown();
        EntrantComparison rows = new EntrantComparison(table, all, earlier);
        rows.rows(heading, results -> {
            for (String point : results.points()) {
                for (Figure figure : results.columns()) {
                    better(results, point, figure)
                            .ifPresent(peer -> table.row(
                                    results.scenario() + ", " + point,
                                    figure.title(),
                                    Target.number(results.median(point, Entrant.BOLTWORK, figure)),
                                    Target.number(results.median(point, peer, figure)),
                                    peer.title()));
                }
            }
        });
        String lines = table.toString();
        if (lines.isEmpty()) {
            out.line("Nowhere.");
        } else {
            out.line("| where | figure | Boltwork | best peer | which |");
            out.line("|---|---|---:|---:|---|");
            lines.lines().forEach(out::line);
        }
        out.line();
    }

    /** Returns the best peer if it is better than Boltwork. */
    private static Optional<Entrant> better(ScenarioResults results, String point, Figure figure) {
        if (figure.better() == Figure.Better.NEITHER) {
            return Optional.empty();
        }
        boolean more = figure.better() == Figure.Better.MORE;
        double ours = results.median(point, Entrant.BOLTWORK, figure);
        Comparator<Entrant> byFigure = Comparator.comparingDouble(entrant -> results.median(point, entrant, figure));
        return results.entrants(point).stream()
                .filter(Entrant::isPeer)
                .filter(entrant -> !Double.isNaN(results.median(point, entrant, figure)))
                .max(more ? byFigure : byFigure.reversed())
                .filter(peer -> {
                    double theirs = results.median(point, peer, figure);
                    return more ? theirs > ours * NOTABLE : theirs * NOTABLE < ours;
                });
    }
}
