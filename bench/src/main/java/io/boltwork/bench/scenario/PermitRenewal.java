// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.entrant.ServerCounters;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.HoldJob;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.Stage;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.SlowLog;
import io.boltwork.bench.measure.WorkOutcome;
import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Scenario S15. */
final class PermitRenewal implements Scenario {
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration TIME = Duration.ofSeconds(15);
    private static final Duration QUICK_TIME = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double MOST_MILLIS = 5;

    private static final Point FEW = new Point("1,000 permits", 1_000);
    private static final Point MANY = new Point("10,000 permits", 10_000);

    @Override
    public String id() {
        return "S15";
    }

    @Override
    public String title() {
        return "Renewal of many permits of one semaphore";
    }

    @Override
    public String about() {
        return "One client holds all permits of one semaphore for a quarter of a minute, each with a lease of six"
                + " seconds, and loses none. Redis runs one script at a time, so a long call delays all clients: the"
                + " figure is the slowest call, from SLOWLOG, which counts the time for which the server does not get a"
                + " processor. Redisson does not renew permits.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK);
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(3);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(MANY), List.of(FEW));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(
                Figure.SLOWEST_SCRIPT,
                Figure.SCRIPT_P50,
                Figure.SCRIPT_P99,
                Figure.CLIENT_CPU_SHARE,
                Figure.SERVER_CPU_SHARE,
                Figure.REQUESTS_PER_SECOND,
                Figure.COMMANDS_PER_SECOND,
                Figure.BYTES_PER_SECOND);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.figure(MANY.id(), Figure.SLOWEST_SCRIPT, Entrant.BOLTWORK, false, MOST_MILLIS));
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return time(plan).plus(plan.warmUp(1)).plusSeconds(2 + (long) point.x() / 5_000);
    }

    private static Duration time(BenchPlan plan) {
        return plan.quick() ? QUICK_TIME : TIME;
    }

    @Override
    public Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition) throws InterruptedException {
        Setup setup = Setup.of(
                        1,
                        HoldJob.NAME,
                        Map.of(
                                LoadJob.LOCKS,
                                (long) point.x(),
                                LoadJob.REHEARSAL_MILLIS,
                                plan.warmUpMillis(),
                                LoadJob.LONGEST_REHEARSAL_MILLIS,
                                0L,
                                LoadJob.MILLIS,
                                time(plan).toMillis()))
                .with(HoldJob.ONE_SEMAPHORE, 1)
                .withLease(LEASE)
                .withRenewal();
        try (Stage stage = Stage.set(plan, entrant, setup)) {
            RedisServer redis = stage.redis();
            SlowLog.start(redis);
            Stage.Meter meter = stage.meter();
            stage.go();
            WorkOutcome outcome = stage.outcome(time(plan).plus(PATIENCE));
            Usage usage = meter.read();
            ServerCounters server = usage.server();
            double seconds = outcome.seconds();
            Map<Figure, Double> more = new LinkedHashMap<>();
            long[] scripts = SlowLog.scriptMicros(redis);
            more.put(Figure.SLOWEST_SCRIPT, millis(scripts, 1));
            more.put(Figure.SCRIPT_P50, millis(scripts, 0.5));
            more.put(Figure.SCRIPT_P99, millis(scripts, 0.99));
            more.put(Figure.SERVER_CPU_SHARE, server.cpuSeconds() / seconds * 100);
            more.put(Figure.REQUESTS_PER_SECOND, server.requests(entrant) / seconds);
            more.put(Figure.COMMANDS_PER_SECOND, server.commands(entrant) / seconds);
            more.put(Figure.BYTES_PER_SECOND, (server.bytesIn() + server.bytesOut()) / seconds);
            return Sample.of(point, entrant, repetition, usage, outcome, 0, more);
        }
    }

    /** Returns the time that a share of the calls has not exceeded; NaN if there were none. */
    private static double millis(long[] sortedMicros, double share) {
        int last = sortedMicros.length - 1;
        return last < 0 ? Double.NaN : sortedMicros[(int) (last * share)] / 1e3;
    }
}
