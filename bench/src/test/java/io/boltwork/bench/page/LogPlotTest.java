// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.entrant.Entrant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class LogPlotTest {
    private static final int LARGEST = 30_000; // bytes

    @Test
    void plotOfAllContendersIsSmallAndHasItsTextAsText() {
        LogPlot plot = new LogPlot("S1: 1 thread", "one in this many waits longer", "wait, µs");
        for (Entrant entrant : Entrant.values()) {
            plot.add(entrant.title(), entrant == Entrant.BOLTWORK, dots(entrant.ordinal() + 1));
        }
        String svg = plot.svg();
        assertThat(svg.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(LARGEST);
        assertThat(svg).contains(">S1: 1 thread</text>", ">one in this many waits longer</text>", ">wait, µs</text>");
        for (Entrant entrant : Entrant.values()) {
            assertThat(svg).contains(">" + entrant.title() + "</text>");
        }
    }

    /** Returns as many dots as a curve of percentiles has at most. */
    private static List<LogPlot.Dot> dots(int contender) {
        return DoubleStream.of(1.1, 1.5, 2, 4, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
                .mapToObj(x -> new LogPlot.Dot(x, 37.5 * contender * Math.sqrt(x)))
                .toList();
    }
}
