// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Draws SVG plots of scenarios into a directory. */
public record Plots(Path directory) {
    /* The inverse of the share of callers that wait longer: 2 is the median, 100 is p99. */
    private static final double[] ONE_OF = {1.1, 1.5, 2, 4, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000};

    /** Draws the plots of all results. Returns the names of the files by the keys of the results. */
    public Map<String, List<String>> draw(List<ScenarioResults> all) {
        Map<String, List<String>> files = new LinkedHashMap<>();
        for (ScenarioResults results : all) {
            files.put(results.key(), draw(Scenario.of(results.scenario()), results));
        }
        return files;
    }

    private List<String> draw(Scenario scenario, ScenarioResults results) {
        List<String> names = new ArrayList<>();
        List<Point> points = scenario.points(results.facts().plan());
        List<Point> curve = scenario.curve(results.facts().plan());
        if (curve.size() > 1) {
            names.add(curves(scenario, results, curve, Figure.THROUGHPUT, "throughput"));
            names.add(curves(scenario, results, curve, Figure.WAIT_P99, "wait"));
        }
        if (scenario.columns().contains(Figure.WAIT_P99)) {
            List<Point> all = curve.isEmpty() ? points : curve;
            names.add(percentiles(results, all.get(all.size() - 1)));
        }
        return names;
    }

    private String curves(Scenario scenario, ScenarioResults results, List<Point> points, Figure figure, String name) {
        LogPlot plot = new LogPlot(results.title(), scenario.axis(), figure.title());
        for (Entrant entrant : scenario.entrants()) {
            List<LogPlot.Dot> dots = new ArrayList<>();
            for (Point point : points) {
                double value = results.median(point.id(), entrant, figure);
                if (value > 0) { // neither missing nor without a logarithm
                    dots.add(new LogPlot.Dot(point.x(), value));
                }
            }
            plot.add(entrant.title(), entrant == Entrant.BOLTWORK, dots);
        }
        return save(plot, results.key() + "-" + name);
    }

    private String percentiles(ScenarioResults results, Point point) {
        LogPlot plot = new LogPlot(results.title() + ", " + point.id(), "one in this many waits longer", "wait, µs");
        for (Entrant entrant : results.entrants(point.id())) {
            Histogram wait = results.wait(point.id(), entrant);
            List<LogPlot.Dot> dots = new ArrayList<>();
            for (double oneOf : ONE_OF) {
                double micros = Wait.micros(wait, 100 * (1 - 1 / oneOf));
                if (oneOf <= wait.getTotalCount() && micros > 0) {
                    dots.add(new LogPlot.Dot(oneOf, micros));
                }
            }
            plot.add(entrant.title(), entrant == Entrant.BOLTWORK, dots);
        }
        return save(plot, results.key() + "-percentiles");
    }

    private String save(LogPlot plot, String name) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(name + ".svg"), plot.svg());
            return name + ".svg";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
