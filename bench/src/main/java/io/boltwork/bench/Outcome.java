package io.boltwork.bench;

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
 * @param entries the entries on the {@link Board} since the worker started
 * @param seconds the time
 * @param cpuSeconds the processor time of the JVM until the last release
 * @param waits the durations of the waits, encoded
 * @param figures other measured figures
 */
record Outcome(
        long[] turns,
        long pairs,
        long entries,
        double seconds,
        double cpuSeconds,
        String waits,
        Map<String, Double> figures) {

    static Outcome together(List<Outcome> parts) {
        Map<String, Double> figures = new LinkedHashMap<>();
        // the mean of each figure that several workers have
        for (Outcome part : parts) {
            part.figures.forEach((name, value) -> figures.merge(name, value, Double::sum));
        }
        figures.replaceAll((name, sum) -> sum
                / parts.stream().filter(part -> part.figures.containsKey(name)).count());
        return new Outcome(
                parts.stream().flatMapToLong(part -> Arrays.stream(part.turns)).toArray(),
                parts.stream().mapToLong(Outcome::pairs).sum(),
                parts.stream().mapToLong(Outcome::entries).sum(),
                parts.stream().mapToDouble(Outcome::seconds).max().orElseThrow(),
                parts.stream().mapToDouble(Outcome::cpuSeconds).sum(),
                Wait.encode(Wait.sum(parts.stream().map(Outcome::histogram).toList())),
                figures);
    }

    Histogram histogram() {
        return Wait.decode(waits);
    }

    double perSecond() {
        return LongStream.of(turns).sum() / seconds;
    }
}
