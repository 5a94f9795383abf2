package io.boltwork.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** SVG plots of scenarios, in a directory. */
record Plots(Path directory) {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final Pattern NEEDLESS_DIGITS = Pattern.compile("(\\d\\.\\d{2})\\d+");

    /* The inverse of the share of those that wait longer: 2 is the median, 100 is p99. */
    private static final double[] ONE_OF = {1.1, 1.5, 2, 4, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000};

    /** Draws what there is to draw; the files' names by the results' keys. */
    Map<String, List<String>> draw(List<ScenarioResults> all) {
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
        XYChart chart = chart(results.title(), scenario.axis(), figure.title());
        for (Entrant entrant : scenario.entrants()) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (Point point : points) {
                double value = results.median(point.id(), entrant, figure);
                if (value > 0) { // neither missing nor beyond a logarithm
                    x.add(point.x());
                    y.add(value);
                }
            }
            add(chart, entrant, x, y);
        }
        return save(chart, results.key() + "-" + name);
    }

    private String percentiles(ScenarioResults results, Point point) {
        XYChart chart = chart(results.title() + ", " + point.id(), "one of so many waits longer", "wait, µs");
        for (Entrant entrant : results.entrants(point.id())) {
            Histogram wait = results.wait(point.id(), entrant);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (double oneOf : ONE_OF) {
                double micros = Wait.micros(wait, 100 * (1 - 1 / oneOf));
                if (oneOf <= wait.getTotalCount() && micros > 0) {
                    x.add(oneOf);
                    y.add(micros);
                }
            }
            add(chart, entrant, x, y);
        }
        return save(chart, results.key() + "-percentiles");
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setYAxisLogarithmic(true)
                .setYAxisLogarithmicDecadeOnly(true)
                .setChartBackgroundColor(Color.WHITE)
                .setLegendBorderColor(Color.WHITE)
                .setLegendPosition(LegendPosition.OutsideE);
        return chart;
    }

    private static void add(XYChart chart, Entrant entrant, List<Double> x, List<Double> y) {
        if (!x.isEmpty()) {
            XYSeries series = chart.addSeries(entrant.title(), x, y);
            series.setMarker(SeriesMarkers.CIRCLE);
            if (entrant == Entrant.BOLTWORK) {
                series.setLineStyle(new BasicStroke(4));
            }
        }
    }

    private String save(XYChart chart, String name) {
        try {
            String svg = new String(ChartEncoder.getBytes(chart, "svg"), StandardCharsets.UTF_8);
            svg = NEEDLESS_DIGITS.matcher(svg).replaceAll("$1");
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(name + ".svg"), svg);
            return name + ".svg";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
