package io.boltwork.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where, how long and how often is measured.
 *
 * @param deployment what the locks are on
 * @param quick whether it is only to be seen that all of it works: small scenarios
 * @param repetitions of each measurement; {@code null} for as many as each scenario has by itself
 * @param warmUpMillis before each measurement of one JVM; several, which share the processors, take longer
 * @param millis of each measurement that has no time of its own
 * @param attempts at a measurement that others disturb
 */
record Plan(
        Deployment deployment,
        boolean quick,
        @Nullable Integer repetitions,
        long warmUpMillis,
        long millis,
        int attempts) {
    static final Plan FULL = new Plan(Deployment.STANDALONE, false, null, 2_000, 2_000, 4);
    static final Plan QUICK = new Plan(Deployment.STANDALONE, true, 1, 300, 300, 1);

    Plan on(Deployment other) {
        return new Plan(other, quick, repetitions, warmUpMillis, millis, attempts);
    }

    boolean isOnCluster() {
        return deployment == Deployment.CLUSTER;
    }

    /** As many as were asked for, else what a scenario has by itself. */
    int repetitions(int usual) {
        return repetitions == null ? usual : repetitions;
    }

    /** How long so many JVMs warm up. */
    Duration warmUp(int jvms) {
        return Duration.ofMillis(warmUpMillis * (3 + jvms) / 4);
    }

    /** How long one JVM rehearses where its processor time counts, at least. */
    Duration steady() {
        return quick ? warmUp(1).dividedBy(4) : warmUp(1).multipliedBy(2);
    }

    /**
     * How long so many JVMs rehearse at most, while their compilers are at work. Those of one take about eight seconds of a
     * processor, two of them while it warms up; several JVMs share the processors. Four on two would need longer still, but
     * then all scenarios would not fit into an afternoon.
     */
    private Duration longest(int jvms) {
        return quick ? Duration.ZERO : warmUp(jvms).multipliedBy(jvms == 1 ? 3 : 6);
    }

    /**
     * How long several JVMs rehearse how a lock passes between them, at least: half of what two do that do nothing else. In a
     * quick run, which shows only that all works, hardly at all.
     */
    Duration passing(int jvms) {
        return quick ? warmUp(jvms) : warmUp(jvms).multipliedBy(WarmUp.REHEARSAL / 2);
    }

    /**
     * The longest that two JVMs rehearse how a lock passes between their clients by way of Redis, while their compilers are at
     * work: a turn at a time is so slow that the compilers hear late of what is used often. Most need about half of it.
     */
    Duration longestPassing() {
        return quick ? Duration.ZERO : warmUp(2).multipliedBy(3L * WarmUp.REHEARSAL);
    }

    Duration time() {
        return Duration.ofMillis(millis);
    }

    /** What a load needs, beside what it is about; it is rehearsed shortly. */
    Map<String, Long> load(int jvms, int threads, int locks, Duration hold) {
        return load(jvms, threads, locks, hold, warmUp(jvms).dividedBy(4));
    }

    Map<String, Long> load(int jvms, int threads, int locks, Duration hold, Duration rehearsal) {
        return load(jvms, threads, locks, hold, rehearsal, longest(jvms));
    }

    Map<String, Long> load(
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

    <T> List<T> choose(List<T> full, List<T> few) {
        return quick ? few : full;
    }
}
