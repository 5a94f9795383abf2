// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.CrashJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.Stage;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Leases;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Scenario S8. */
public final class Crash implements Scenario {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration QUEUEING = Duration.ofMillis(1_200);
    private static final Duration GOING = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int DOOMED = 20;

    private static final Point HOLDER = new Point("holder killed", 1);
    private static final Point WAITERS = new Point("20 dead waiters", DOOMED);

    @Override
    public String id() {
        return "S8";
    }

    @Override
    public String title() {
        return "Crashes";
    }

    @Override
    public String about() {
        return "Either the JVM that holds a lock, with a lease of three seconds, is killed (SIGKILL) while another JVM"
                + " waits. The figure is the time from the lease's end until the other JVM has the lock. Or twenty"
                + " threads of one JVM wait, then a thread of another JVM; the first of these JVMs is killed, and the"
                + " holder unlocks. The figure is the time from then until the surviving thread has the lock. A"
                + " contender that does not have the lock after " + PATIENCE.toSeconds() + " s has failed.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(
                Entrant.BOLTWORK,
                Entrant.BOLTWORK_FIFO,
                Entrant.REDISSON,
                Entrant.REDISSON_FAIR,
                Entrant.SPRING_PUBSUB,
                Entrant.JEDIS);
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(2);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(HOLDER, WAITERS), List.of(HOLDER));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(Figure.AFTER);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.figure(HOLDER.id(), Figure.AFTER, Entrant.BOLTWORK, false, 50),
                Target.figure(HOLDER.id(), Figure.AFTER, Entrant.BOLTWORK_FIFO, false, 50),
                Target.figure(WAITERS.id(), Figure.AFTER, Entrant.BOLTWORK, false, 100),
                Target.figure(WAITERS.id(), Figure.AFTER, Entrant.BOLTWORK_FIFO, false, 100));
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return Duration.ofSeconds(8);
    }

    @Override
    public Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition) throws InterruptedException {
        int jvms = point == HOLDER ? 2 : 3;
        Setup setup = Setup.of(jvms, CrashJob.NAME, Map.of(CrashJob.DOOMED, (long) DOOMED))
                .withLease(LEASE);
        try (Stage stage = Stage.set(plan, entrant, setup)) {
            Stage.Meter meter = stage.meter();
            Usage usage;
            long nanos = point == HOLDER ? holderKilled(stage) : waitersKilled(stage);
            usage = meter.read();
            WorkOutcome none = new WorkOutcome(new long[] {1}, 1, 0, 1, 0, Wait.encode(Wait.histogram()), Map.of());
            return Sample.of(point, entrant, repetition, usage, none, 0, Map.of(Figure.AFTER, nanos / 1e6));
        }
    }

    private static long holderKilled(Stage stage) throws InterruptedException {
        stage.go(1);
        stage.expect(1, CrashJob.WAITING, PATIENCE);
        Thread.sleep(QUEUEING.toMillis());
        stage.kill(0);
        long before = System.nanoTime();
        long left = Leases.left(stage.redis(), CrashJob.LOCK);
        long end = before + Duration.ofMillis(left).toNanos();
        return when(stage.outcome(1, LEASE.plus(PATIENCE))) - end;
    }

    private static long waitersKilled(Stage stage) throws InterruptedException {
        stage.go(0);
        stage.expect(0, CrashJob.HELD, PATIENCE);
        stage.go(2);
        stage.expect(2, CrashJob.WAITING, PATIENCE);
        Thread.sleep(QUEUEING.toMillis());
        stage.go(1);
        stage.expect(1, CrashJob.WAITING, PATIENCE);
        Thread.sleep(QUEUEING.toMillis());
        stage.kill(2);
        Thread.sleep(GOING.toMillis());
        stage.tell(0, CrashJob.RELEASE);
        long released = when(stage.outcome(0, PATIENCE));
        return when(stage.outcome(1, PATIENCE)) - released;
    }

    private static long when(WorkOutcome outcome) {
        Double when = outcome.figures().get(Figure.WHEN.name());
        if (when == null) {
            throw new IllegalStateException("A worker did not report the time");
        }
        return when.longValue();
    }
}
