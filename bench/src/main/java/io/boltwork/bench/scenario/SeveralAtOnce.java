// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.AlternatingJob;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** Scenario S16. */
final class SeveralAtOnce extends LoadScenario {
    private static final double TWICE = 2;
    private static final Point THREE = new Point("3 locks", AlternatingJob.Kind.THREE_LOCKS.ordinal());

    @Override
    public String id() {
        return "S16";
    }

    @Override
    public String title() {
        return "Three locks at once";
    }

    @Override
    public String about() {
        return "One thread uses a plain lock and, in turn with it, three locks by a multi-lock, for 20 ms each. No"
                + " other thread wants them. The share compares both, which run under the same conditions.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.REDISSON);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(THREE);
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
        return List.of(Target.ratio(THREE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, TWICE));
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
