// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.AlternatingJob;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenario S14. */
public final class OtherKinds extends LoadScenario {
    private static final double ALMOST = 0.9;
    private static final Point READ = new Point("read lock", AlternatingJob.Kind.READ.ordinal());
    private static final Point WRITE = new Point("write lock", AlternatingJob.Kind.WRITE.ordinal());
    private static final Point PERMIT = new Point("permit", AlternatingJob.Kind.PERMIT.ordinal());

    @Override
    public String id() {
        return "S14";
    }

    @Override
    public String title() {
        return "Read locks, write locks and permits of one thread";
    }

    @Override
    public String about() {
        return "One thread uses a plain lock and, in turn with it, a read lock, a write lock or the only permit of a"
                + " semaphore, for 20 ms each. No other thread wants them. The share compares both, which run under"
                + " the same conditions: a pair of any kind should cost as much as that of a plain lock. For"
                + " Redisson, the plain lock is `getLock`.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(
                Entrant.BOLTWORK, Entrant.REDISSON_READ_WRITE, Entrant.REDISSON_SEMAPHORE, Entrant.REDISSON_EXPIRING);
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return point == PERMIT
                ? List.of(Entrant.BOLTWORK, Entrant.REDISSON_SEMAPHORE, Entrant.REDISSON_EXPIRING)
                : List.of(Entrant.BOLTWORK, Entrant.REDISSON_READ_WRITE);
    }

    @Override
    public Entrant reference(String point) {
        return point.equals(PERMIT.id()) ? Entrant.REDISSON_SEMAPHORE : Entrant.REDISSON_READ_WRITE;
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(READ, WRITE, PERMIT), List.of(READ));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(Figure.THROUGHPUT, Figure.PLAIN, Figure.BESIDE_PLAIN, Figure.WAIT_P50, Figure.WAIT_P99);
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Point point : List.of(READ, WRITE, PERMIT)) {
            targets.add(Target.figure(point.id(), Figure.BESIDE_PLAIN, Entrant.BOLTWORK, true, ALMOST));
        }
        return targets;
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return super.estimate(plan, point).plus(plan.time());
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, AlternatingJob.NAME, plan.load(1, 1, 0, Duration.ZERO, plan.steady()))
                .with(AlternatingJob.KIND, (long) point.x());
    }
}
