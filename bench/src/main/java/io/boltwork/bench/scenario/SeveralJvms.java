// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** Scenario S4. */
final class SeveralJvms extends LoadScenario {
    private static final Point FOUR = new Point("4 JVMs × 4 threads", 16);

    @Override
    public String id() {
        return "S4";
    }

    @Override
    public String title() {
        return "One lock, four JVMs";
    }

    @Override
    public String about() {
        return "Four threads in each of four JVMs lock and unlock the same lock as often as they can, with nothing"
                + " inside but the check. Jain's index covers all sixteen threads.";
    }

    @Override
    public List<Entrant> entrants() {
        return locks();
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(FOUR);
    }

    @Override
    public boolean isOnCluster() {
        return true;
    }

    @Override
    public boolean isOnStores() {
        return true;
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(FOUR.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, 60),
                Target.figure(FOUR.id(), Figure.JAIN, Entrant.BOLTWORK, true, 0.95),
                Target.figure(FOUR.id(), Figure.WAIT_P99, Entrant.BOLTWORK, false, 20_000),
                Target.ratio(FOUR.id(), Figure.THROUGHPUT, Entrant.BOLTWORK_FIFO, Entrant.REDISSON_FAIR, true, 5));
    }

    @Override
    public List<Target> targetsOn(BenchDeployment store) {
        return List.of(
                Target.ratio(FOUR.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.reference(store), true, 10));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(4, LoadJob.NAME, plan.load(4, 4, 1, Duration.ZERO, plan.passing(4)));
    }
}
