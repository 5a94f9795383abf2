package io.boltwork.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * What a worker, or all of them together, has measured; a worker's goes to the bench as a line of JSON.
 *
 * @param turns how often each thread had the lock within the time
 * @param pairs how often all of them did, until the last one had given it back
 * @param entries how often they entered the {@link Board} since the worker began
 * @param seconds the time
 * @param cpuSeconds what the JVM used of its processors until the last one had given the lock back
 * @param waits durations of what was waited for, encoded
 * @param figures what else was measured
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
        // the mean of each figure, as far as there are several
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
