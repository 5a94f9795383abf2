package io.boltwork.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How long and how often is measured.
 *
 * @param quick whether it is only to be seen that all of it works: small scenarios
 * @param repetitions of each measurement
 * @param warmUpMillis before each measurement
 * @param millis of each measurement that has no time of its own
 * @param attempts at a measurement that others disturb
 */
record Plan(boolean quick, int repetitions, long warmUpMillis, long millis, int attempts) {
    static final Plan FULL = new Plan(false, 5, 3_000, 3_000, 4);
    static final Plan QUICK = new Plan(true, 1, 400, 400, 1);

    Duration warmUp() {
        return Duration.ofMillis(warmUpMillis);
    }

    Duration time() {
        return Duration.ofMillis(millis);
    }

    /** What a load needs, beside what it is about. */
    Map<String, Long> load(int threads, int locks, Duration hold) {
        return Map.of(
                LoadJob.THREADS,
                (long) threads,
                LoadJob.LOCKS,
                (long) locks,
                LoadJob.HOLD_NANOS,
                hold.toNanos(),
                LoadJob.WARM_UP_MILLIS,
                warmUpMillis,
                LoadJob.MILLIS,
                millis);
    }

    <T> List<T> choose(List<T> full, List<T> few) {
        return quick ? few : full;
    }
}
