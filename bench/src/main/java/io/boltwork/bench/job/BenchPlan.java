// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deployment, the times and the repetitions of a run.
 *
 * @param deployment the deployment that serves the locks
 * @param quick whether the run only shows that everything works, with small scenarios
 * @param repetitions the repetitions of each measurement; {@code null} for the default of each scenario
 * @param warmUpMillis the warm-up of one JVM; several JVMs share the processors and take longer
 * @param millis the time of each measurement without a fixed time
 * @param attempts the attempts at a measurement that other processes disturb
 */
public record BenchPlan(
        BenchDeployment deployment,
        boolean quick,
        @Nullable Integer repetitions,
        long warmUpMillis,
        long millis,
        int attempts) {
    public static final BenchPlan FULL = new BenchPlan(BenchDeployment.STANDALONE, false, null, 2_000, 2_000, 4);
    public static final BenchPlan QUICK = new BenchPlan(BenchDeployment.STANDALONE, true, 1, 300, 300, 1);

    public BenchPlan on(BenchDeployment other) {
        return new BenchPlan(other, quick, repetitions, warmUpMillis, millis, attempts);
    }

    public boolean isOnCluster() {
        return deployment == BenchDeployment.CLUSTER;
    }

    /** Returns the requested repetitions, or else the default of the scenario. */
    public int repetitions(int usual) {
        return repetitions == null ? usual : repetitions;
    }

    /** Returns the warm-up time of a number of JVMs. */
    public Duration warmUp(int jvms) {
        return Duration.ofMillis(warmUpMillis * (3 + jvms) / 4);
    }

    /** Returns the least rehearsal time of one JVM where its processor time counts. */
    public Duration steady() {
        return quick ? warmUp(1).dividedBy(4) : warmUp(1).multipliedBy(2);
    }

    /**
     * Returns the longest rehearsal of a number of JVMs while their compilers work. The compilers of one JVM use about
     * eight seconds of a processor, two of these during the warm-up; several JVMs share the processors. Four JVMs on
     * two processors would need even longer, but then a full run would not fit into an afternoon.
     */
    private Duration longest(int jvms) {
        return quick ? Duration.ZERO : warmUp(jvms).multipliedBy(jvms == 1 ? 3 : 6);
    }

    /**
     * Returns the least time for which several JVMs rehearse how a lock passes between them: half of the time of two
     * JVMs that do nothing else. A quick run, which only shows that everything works, hardly rehearses.
     */
    public Duration passing(int jvms) {
        return quick ? warmUp(jvms) : warmUp(jvms).multipliedBy(WarmUp.REHEARSAL / 2);
    }

    /**
     * Returns the longest time for which two JVMs rehearse how a lock passes between their clients through Redis while
     * their compilers work. Single turns are so slow that the compilers learn late which code is hot. Most runs need
     * about half of this time.
     */
    public Duration longestPassing() {
        return quick ? Duration.ZERO : warmUp(2).multipliedBy(3L * WarmUp.REHEARSAL);
    }

    public Duration time() {
        return Duration.ofMillis(millis);
    }

    /** Returns the parameters of a load with a short rehearsal. */
    public Map<String, Long> load(int jvms, int threads, int locks, Duration hold) {
        return load(jvms, threads, locks, hold, warmUp(jvms).dividedBy(4));
    }

    public Map<String, Long> load(int jvms, int threads, int locks, Duration hold, Duration rehearsal) {
        return load(jvms, threads, locks, hold, rehearsal, longest(jvms));
    }

    public Map<String, Long> load(
            int jvms, int threads, int locks, Duration hold, Duration rehearsal, Duration longestRehearsal) {
        return Map.of(
                LoadJob.THREADS,
                (long) threads,
                LoadJob.LOCKS,
                (long) locks,
                LoadJob.HOLD_NANOS,
                hold.toNanos(),
                LoadJob.WARM_UP_MILLIS,
                warmUp(jvms).toMillis(),
                LoadJob.REHEARSAL_MILLIS,
                rehearsal.toMillis(),
                LoadJob.LONGEST_REHEARSAL_MILLIS,
                longestRehearsal.toMillis(),
                LoadJob.MILLIS,
                millis);
    }

    public <T> List<T> choose(List<T> full, List<T> few) {
        return quick ? few : full;
    }
}
