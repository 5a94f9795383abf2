// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The measurements of a load.
 *
 * @param took how long the load lasted
 * @param histogram how long acquisitions with their releases took
 * @param failures how many of them failed
 * @param stopped why the load was stopped early; empty if it was not
 */
record LoadResult(Duration took, LatencyHistogram histogram, long failures, String stopped) implements Printed {
    private static final int WIDEST_BAR = 50;
    private static final double[] PARTS = {0.5, 0.9, 0.99, 0.999, 1};
    private static final String[] NAMES = {"p50", "p90", "p99", "p99.9", "max"};
    private static final long FIRST_MICROS = 1;

    private record Bar(String label, long count) {}

    double pairsPerSecond() {
        return histogram.total() * 1e9 / Math.max(1, took.toNanos());
    }

    @Override
    public void table(PrintWriter out) {
        if (!stopped.isEmpty()) {
            out.println("Stopped early: " + stopped);
        }
        out.println(String.format(
                Locale.ROOT,
                "%,d pairs of lock and unlock in %.1f s: %,.0f a second, %,d failed",
                histogram.total(),
                took.toMillis() / 1e3,
                pairsPerSecond(),
                failures));
        StringBuilder percentiles = new StringBuilder();
        for (int i = 0; i < PARTS.length; i++) {
            percentiles
                    .append(i == 0 ? "" : "  ")
                    .append(NAMES[i])
                    .append(' ')
                    .append(text(histogram.percentile(PARTS[i])));
        }
        out.println(percentiles);
        out.println();
        bars(out);
    }

    private void bars(PrintWriter out) {
        List<Bar> bars = bars();
        long most = bars.stream().mapToLong(Bar::count).max().orElse(1);
        for (Bar bar : bars) {
            int width = (int) Math.ceil((double) bar.count() * WIDEST_BAR / Math.max(1, most));
            out.println(String.format(Locale.ROOT, "%12s  %s %,d", bar.label(), "#".repeat(width), bar.count())
                    .stripTrailing());
        }
    }

    /** Returns one bar for each of 1, 2, 5, 10, 20, 50 ... microseconds, from the shortest duration to the longest. */
    private List<Bar> bars() {
        List<Bar> bars = new ArrayList<>();
        Duration from = Duration.ZERO;
        int[] steps = {1, 2, 5};
        long decade = FIRST_MICROS;
        for (int i = 0; from.compareTo(histogram.percentile(1)) < 0; i++) {
            Duration to = Duration.ofNanos(decade * steps[i % steps.length] * 1_000);
            bars.add(new Bar("<= " + text(to), histogram.between(from, to)));
            from = to;
            decade *= i % steps.length == steps.length - 1 ? 10 : 1;
        }
        while (!bars.isEmpty() && bars.get(0).count() == 0) {
            bars.remove(0);
        }
        return bars;
    }

    static String text(Duration time) {
        double micros = time.toNanos() / 1e3;
        if (micros < 1e3) {
            return String.format(Locale.ROOT, "%.0f us", micros);
        }
        return micros < 1e6
                ? String.format(Locale.ROOT, micros < 1e4 ? "%.1f ms" : "%.0f ms", micros / 1e3)
                : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
    }

    @Override
    public void json(JsonWriter out) throws IOException {
        out.object(() -> {
            out.millis("tookMillis", took);
            out.number("pairs", histogram.total());
            out.number("pairsPerSecond", pairsPerSecond());
            out.number("failures", failures);
            out.text("stopped", stopped);
            for (int i = 0; i < PARTS.length; i++) {
                out.number(NAMES[i] + "Millis", histogram.percentile(PARTS[i]).toNanos() / 1e6);
            }
            out.array(
                    "histogram",
                    bars(),
                    bar -> out.object(() -> {
                        out.text("bar", bar.label());
                        out.number("count", bar.count());
                    }));
        });
    }

    @Override
    public String toString() {
        return histogram.total() + " pairs in " + took;
    }
}
