// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import io.boltwork.bench.contender.ExclusionBoard;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one worker or of all workers together. A worker sends them to the bench as a line of JSON.
 *
 * @param turns the turns of each thread within the time
 * @param pairs the turns of all threads until the last one released the lock
 * @param entries the entries on the {@link ExclusionBoard} since the worker started
 * @param seconds the time
 * @param cpuSeconds the processor time of the JVM until the last release
 * @param waits the durations of the waits, encoded
 * @param figures other measured figures
 */
public record WorkOutcome(
        long[] turns,
        long pairs,
        long entries,
        double seconds,
        double cpuSeconds,
        String waits,
        Map<String, Double> figures) {

    public static WorkOutcome together(List<WorkOutcome> parts) {
        Map<String, Double> figures = new LinkedHashMap<>();
        // the mean of each figure that several workers have
        for (WorkOutcome part : parts) {
            part.figures.forEach((name, value) -> figures.merge(name, value, Double::sum));
        }
        figures.replaceAll((name, sum) -> sum
                / parts.stream().filter(part -> part.figures.containsKey(name)).count());
        return new WorkOutcome(
                parts.stream().flatMapToLong(part -> Arrays.stream(part.turns)).toArray(),
                parts.stream().mapToLong(WorkOutcome::pairs).sum(),
                parts.stream().mapToLong(WorkOutcome::entries).sum(),
                parts.stream().mapToDouble(WorkOutcome::seconds).max().orElseThrow(),
                parts.stream().mapToDouble(WorkOutcome::cpuSeconds).sum(),
                Wait.encode(Wait.sum(parts.stream().map(WorkOutcome::histogram).toList())),
                figures);
    }

    public Histogram histogram() {
        return Wait.decode(waits);
    }

    public double perSecond() {
        return LongStream.of(turns).sum() / seconds;
    }
}
