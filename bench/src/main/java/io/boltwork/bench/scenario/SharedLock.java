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
import java.util.ArrayList;
import java.util.List;

/** Scenario S3. */
final class SharedLock extends LoadScenario {
    private static final Point TWO = new Point("2 threads", 2);
    private static final Point SIXTEEN = new Point("16 threads", 16);
    private static final Point HUNDRED = new Point("100 threads", 100);

    @Override
    public String id() {
        return "S3";
    }

    @Override
    public String title() {
        return "One lock, many threads of one JVM";
    }

    @Override
    public String about() {
        return "Threads of one JVM lock and unlock the same lock as often as they can, with nothing inside but the"
                + " check. Look at Jain's index and the slowest thread, too: a lock that one thread keeps for itself"
                + " is fast.";
    }

    @Override
    public List<Entrant> entrants() {
        return locks();
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        if (!plan.deployment().isRedis()) {
            return List.of(SIXTEEN);
        }
        return plan.choose(List.of(TWO, SIXTEEN, HUNDRED), List.of(SIXTEEN));
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
        return "threads";
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Point point : List.of(TWO, SIXTEEN, HUNDRED)) {
            double factor = point == TWO ? 3 : point == SIXTEEN ? 15 : 12;
            targets.add(Target.ratio(point.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, factor));
            targets.add(Target.figure(point.id(), Figure.JAIN, Entrant.BOLTWORK, true, 0.97));
            targets.add(Target.ratio(point.id(), Figure.WAIT_P99, Entrant.BOLTWORK, Entrant.REDISSON, false, 1));
        }
        return targets;
    }

    @Override
    public List<Target> targetsOn(BenchDeployment store) {
        return List.of(
                Target.ratio(SIXTEEN.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.reference(store), true, 10));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, LoadJob.NAME, plan.load(1, (int) point.x(), 1, Duration.ZERO));
    }
}
