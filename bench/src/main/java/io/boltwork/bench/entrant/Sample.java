// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.entrant;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.Statistics;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One measurement of one contender.
 *
 * @param point the point of the scenario
 * @param contender the contender's id
 * @param repetition the number of the repetition, from 1
 * @param foreign the number of processors that other processes kept busy
 * @param disturbed whether that was too much in all attempts
 * @param violations the overlaps and lost updates; any of them voids the run
 * @param failure the reason if there are no figures
 * @param figures by {@link Figure}
 * @param waits the histogram of the waits, encoded
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Sample(
        String point,
        String contender,
        int repetition,
        double foreign,
        boolean disturbed,
        long violations,
        @Nullable String failure,
        Map<Figure, Double> figures,
        @Nullable String waits) {

    public static Sample failed(Point point, Entrant entrant, int repetition, String why) {
        return new Sample(point.id(), entrant.id(), repetition, 0, false, 0, why, Map.of(), null);
    }

    /** Returns the sample with the figures that all measurements have in common. */
    public static Sample of(
            Point point,
            Entrant entrant,
            int repetition,
            Usage usage,
            WorkOutcome outcome,
            long violations,
            Map<Figure, Double> more) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        double pairs = Math.max(1, outcome.pairs());
        Histogram wait = outcome.histogram();
        long slowest = Arrays.stream(outcome.turns()).min().orElse(0);
        figures.put(Figure.THROUGHPUT, outcome.perSecond());
        figures.put(Figure.JAIN, Statistics.jain(outcome.turns()));
        figures.put(Figure.SLOWEST, slowest / outcome.seconds());
        figures.put(Figure.WAIT_P50, Wait.micros(wait, 50));
        figures.put(Figure.WAIT_P99, Wait.micros(wait, 99));
        figures.put(Figure.WAIT_MAX, Wait.micros(wait, 100));
        if (usage.server().isComplete()) {
            figures.put(Figure.REQUESTS, usage.server().requests(entrant) / pairs);
            figures.put(Figure.COMMANDS, usage.server().commands(entrant) / pairs);
            figures.put(Figure.BYTES_IN, usage.server().bytesIn() / pairs);
            figures.put(Figure.BYTES_OUT, usage.server().bytesOut() / pairs);
        }
        figures.put(Figure.CLIENT_CPU, outcome.cpuSeconds() * 1e6 / pairs);
        figures.put(Figure.SERVER_CPU, usage.server().cpuSeconds() * 1e6 / pairs);
        outcome.figures().forEach((name, value) -> figures.put(Figure.valueOf(name), value));
        figures.putAll(more);
        return new Sample(
                point.id(),
                entrant.id(),
                repetition,
                usage.foreign(),
                usage.disturbed(),
                violations,
                null,
                figures,
                outcome.waits());
    }
}
