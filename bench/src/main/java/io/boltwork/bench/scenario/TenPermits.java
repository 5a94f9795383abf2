// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenario S13. */
final class TenPermits extends LoadScenario {
    private static final int PERMITS = 10;
    private static final int THREADS = 100;
    private static final Point ONE_JVM = new Point("1 JVM × 100 threads", 1);
    private static final Point FOUR_JVMS = new Point("4 JVMs × 25 threads", 4);

    @Override
    public String id() {
        return "S13";
    }

    @Override
    public String title() {
        return "A semaphore of ten permits";
    }

    @Override
    public String about() {
        return "A hundred threads, in one JVM or twenty-five in each of four, acquire and release a permit as often as"
                + " they can, with nothing inside but the check: a count of the threads inside, which must not"
                + " exceed ten. Jain's index covers all hundred threads.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON_SEMAPHORE, Entrant.REDISSON_EXPIRING);
    }

    @Override
    public Entrant reference(String point) {
        return Entrant.REDISSON_SEMAPHORE;
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(ONE_JVM, FOUR_JVMS), List.of(ONE_JVM));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Point point : List.of(ONE_JVM, FOUR_JVMS)) {
            for (Entrant peer : List.of(Entrant.REDISSON_SEMAPHORE, Entrant.REDISSON_EXPIRING)) {
                targets.add(Target.ratio(point.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, peer, true, 8));
            }
            targets.add(Target.figure(point.id(), Figure.JAIN, Entrant.BOLTWORK, true, 0.95));
        }
        return targets;
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        int jvms = (int) point.x();
        Duration rehearsal = jvms == 1 ? plan.steady() : plan.passing(jvms);
        return Setup.of(jvms, LoadJob.NAME, plan.load(jvms, THREADS / jvms, 1, Duration.ZERO, rehearsal))
                .with(LoadJob.PERMITS, PERMITS);
    }
}
