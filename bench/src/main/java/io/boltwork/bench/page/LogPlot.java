// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.scenario.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A plot of curves over two logarithmic axes, as SVG. Not thread-safe.
 *
 * <p>XChart would draw each letter as a path: a plot of 13 curves would have about 370 KB, and no searchable text.
 */
final class LogPlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final int LEFT = 80;
    private static final int RIGHT = 620;
    private static final int TOP = 35;
    private static final int BOTTOM = 370;

    /** The part of an axis that stays empty at each end. */
    private static final double MARGIN = 0.03;

    /** Axes with fewer powers of ten than this have labels at their multiples by 2 and 5, too. */
    private static final double FEW_DECADES = 2.5;

    private static final List<String> COLORS = List.of(
            "#0037ff", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17a2b8", "#7f7f7f",
            "#8a8a00", "#000000", "#4a9fd8", "#c49c00");

    /** A point of a curve; both values are above 0. */
    record Dot(double x, double y) {}

    private record Curve(String title, boolean strong, List<Dot> dots) {}

    /** The part of an axis that has data, as logarithms to base 10, and where it is drawn. */
    private record Axis(double min, double max, double from, double to) {

        static Axis of(List<Curve> curves, ToDoubleFunction<Dot> value, double from, double to) {
            double[] values = curves.stream()
                    .flatMap(curve -> curve.dots().stream())
                    .mapToDouble(dot -> Math.log10(value.applyAsDouble(dot)))
                    .sorted()
                    .toArray();
            double min = values[0];
            double max = values[values.length - 1];
            double margin = Math.max(0.1, MARGIN * (max - min));
            return new Axis(min - margin, max + margin, from, to);
        }

        double place(double value) {
            return from + (to - from) * (Math.log10(value) - min) / (max - min);
        }

        /** Returns the round values on the axis: 1 to 9 times a power of ten. */
        List<Double> ticks() {
            List<Double> ticks = new ArrayList<>();
            for (int decade = (int) Math.floor(min); decade <= max; decade++) {
                for (int factor = 1; factor <= 9; factor++) {
                    double value = factor * Math.pow(10, decade);
                    if (Math.log10(value) >= min && Math.log10(value) <= max) {
                        ticks.add(value);
                    }
                }
            }
            return ticks;
        }

        boolean hasLabel(double tick) {
            long factor = Math.round(tick / Math.pow(10, Math.floor(Math.log10(tick) + 1e-9)));
            return factor == 1 || (max - min < FEW_DECADES && (factor == 2 || factor == 5));
        }
    }

    private final String title;
    private final String xTitle;
    private final String yTitle;
    private final List<Curve> curves = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();

    LogPlot(String title, String xTitle, String yTitle) {
        this.title = title;
        this.xTitle = xTitle;
        this.yTitle = yTitle;
    }

    /** Adds a curve, unless it has no dots. A strong one has a thick line. */
    void add(String name, boolean strong, List<Dot> dots) {
        if (!dots.isEmpty()) {
            curves.add(new Curve(name, strong, dots));
        }
    }

    /** Returns the SVG. May be called once. */
    String svg() {
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"\n"
                        + " font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\" fill=\"none\">\n"
                        + "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT));
        label((LEFT + RIGHT) / 2.0, TOP - 15.0, " font-weight=\"bold\"", title);
        label((LEFT + RIGHT) / 2.0, HEIGHT - 10.0, "", xTitle);
        double middle = (TOP + BOTTOM) / 2.0;
        label(18, middle, String.format(Locale.ROOT, " transform=\"rotate(-90 18 %.0f)\"", middle), yTitle);
        if (!curves.isEmpty()) {
            Axis x = Axis.of(curves, Dot::x, LEFT, RIGHT);
            Axis y = Axis.of(curves, Dot::y, BOTTOM, TOP);
            grid(x, y);
            for (int i = 0; i < curves.size(); i++) {
                draw(curves.get(i), COLORS.get(i % COLORS.size()), TOP + 8 + 18 * i, x, y);
            }
        }
        return out.append("</svg>\n").toString();
    }

    private void grid(Axis x, Axis y) {
        for (double tick : x.ticks()) {
            double place = x.place(tick);
            line("M%.1f %dV%d", x.hasLabel(tick), place, TOP, BOTTOM);
            if (x.hasLabel(tick)) {
                label(place, BOTTOM + 16.0, "", number(tick));
            }
        }
        for (double tick : y.ticks()) {
            double place = y.place(tick);
            line("M%2$d %1$.1fH%3$d", y.hasLabel(tick), place, LEFT, RIGHT);
            if (y.hasLabel(tick)) {
                label(LEFT - 6.0, place + 4, " text-anchor=\"end\"", number(tick));
            }
        }
        out.append(String.format(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" stroke=\"#888\"/>\n",
                LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP));
    }

    private void line(String path, boolean strong, double place, int from, int to) {
        out.append(String.format(Locale.ROOT, "<path d=\"" + path + "\" stroke=\"", place, from, to))
                .append(strong ? "#bbb" : "#eee")
                .append(String.format("\"/>\n"));
    }

    private void draw(Curve curve, String color, int legend, Axis x, Axis y) {
        String path = curve.dots().stream()
                .map(dot -> String.format(Locale.ROOT, "%.1f %.1f", x.place(dot.x()), y.place(dot.y())))
                .collect(Collectors.joining("L", "M", ""));
        out.append(String.format(
                "<g stroke=\"%s\"><path d=\"%s\" stroke-width=\"%d\"/>\n"
                        + "<path d=\"%s\" stroke-width=\"7\" stroke-linecap=\"round\"/>\n"
                        + "<path d=\"M%d %dh24\" stroke-width=\"%d\"/></g>\n",
                color,
                path,
                curve.strong() ? 4 : 1,
                path.replace("L", "h0M") + "h0",
                RIGHT + 15,
                legend - 4,
                curve.strong() ? 4 : 2));
        label(RIGHT + 45.0, legend, " text-anchor=\"start\"", curve.title());
    }

    private void label(double x, double y, String attributes, String text) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%.0f\" y=\"%.0f\" fill=\"#000\"%s>%s</text>\n",
                x,
                y,
                attributes,
                text.replace("&", "&amp;").replace("<", "&lt;")));
    }

    private static String number(double value) {
        return value >= 1 ? String.format(Locale.ROOT, "%,.0f", value) : Target.number(value);
    }
}
