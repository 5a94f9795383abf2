// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** Scenario S2. */
final class OwnLocks extends LoadScenario {
    private static final Point TWO = new Point("2 threads", 2);
    private static final Point FOUR = new Point("4 threads", 4);
    private static final Point FEW = new Point("16 threads", 16);
    private static final Point MANY = new Point("64 threads", 64);

    @Override
    public String id() {
        return "S2";
    }

    @Override
    public String title() {
        return "Many threads, each with its own lock";
    }

    @Override
    public String about() {
        return "Each thread of one JVM locks and unlocks its own lock, without contention. The result depends on how"
                + " well a client fills its connections.";
    }

    @Override
    public List<Entrant> entrants() {
        return OneThread.withFloors();
    }

    /** Returns all peers, and for a few threads those that say how fast their callers are. */
    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return point == TWO || point == FOUR
                ? List.of(Entrant.BOLTWORK, Entrant.SCRIPTS, Entrant.JEDIS, Entrant.REDISSON)
                : super.entrants(plan, point);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(TWO, FOUR, FEW, MANY), List.of(MANY));
    }

    @Override
    public String axis() {
        return "threads";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(FEW.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.SCRIPTS, true, 0.95),
                Target.ratio(MANY.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.SCRIPTS, true, 1.3),
                Target.ratio(FEW.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, 2.8),
                Target.ratio(MANY.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, 2.8));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, LoadJob.NAME, plan.load(1, (int) point.x(), 0, Duration.ZERO, plan.steady()));
    }
}
