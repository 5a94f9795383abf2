// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.jmh.EngineBenchmark;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * The results of JMH for the engine alone.
 *
 * @param when it was measured
 * @param facts about the run
 * @param rows the benchmarks
 */
public record EngineAlone(String when, Facts facts, List<Row> rows) {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    /**
     * A benchmark's result.
     *
     * @param name its name
     * @param nanos the time of an operation
     * @param error half of the 99.9 % confidence interval; 0 if there were too few iterations
     * @param bytes the bytes that an operation allocates
     */
    record Row(String name, double nanos, double error, double bytes) {}

    /** Runs JMH, which prints to standard output. Takes four minutes, or some seconds in a quick run. */
    public static EngineAlone measure(Facts facts) throws RunnerException {
        boolean quick = facts.plan().quick();
        String when = Moment.now();
        OptionsBuilder options = new OptionsBuilder();
        options.include(EngineBenchmark.class.getName())
                .addProfiler(GCProfiler.class)
                .forks(quick ? 1 : 3)
                .warmupIterations(quick ? 1 : 4)
                .warmupTime(time(quick))
                .measurementIterations(quick ? 2 : 5)
                .measurementTime(time(quick))
                .jvmArgsAppend("-Xms512m", "-Xmx512m");
        List<Row> rows = new ArrayList<>();
        for (RunResult result : new Runner(options.build()).run()) {
            Result<?> score = result.getPrimaryResult();
            Result<?> bytes = result.getSecondaryResults().get(ALLOCATED);
            rows.add(new Row(
                    score.getLabel(),
                    score.getScore(),
                    Double.isNaN(score.getScoreError()) ? 0 : score.getScoreError(),
                    bytes == null ? Double.NaN : bytes.getScore()));
        }
        return new EngineAlone(when + " UTC", facts, rows);
    }

    /** Returns the approximate time of the run. */
    public static Duration estimate(BenchPlan plan) {
        return Duration.ofSeconds(plan.quick() ? 14 : 220);
    }

    private static TimeValue time(boolean quick) {
        return quick ? TimeValue.milliseconds(300) : TimeValue.seconds(1);
    }
}
