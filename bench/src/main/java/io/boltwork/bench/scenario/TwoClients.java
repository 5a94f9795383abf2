// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.own.BoltworkLocks;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.TurnsJob;
import io.boltwork.bench.job.WarmUp;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenario S19. */
final class TwoClients extends LoadScenario {
    private static final Point AT_ONCE = new Point("in turn, at once", 0);
    private static final Point AFTER_1_MS = new Point("in turn, after 1 ms", 1);
    private static final Point AFTER_10_MS = new Point("in turn, after 10 ms", 10);
    private static final Point AFTER_100_MS = new Point("in turn, after 100 ms", 100);
    private static final Point VISITED = new Point("one all the time, a visitor every 250 ms", 250);

    private static final List<Point> IN_TURN = List.of(AT_ONCE, AFTER_1_MS, AFTER_10_MS, AFTER_100_MS);

    @Override
    public String id() {
        return "S19";
    }

    @Override
    public String title() {
        return "Two clients at one lock, not at the same time";
    }

    @Override
    public String about() {
        return "Two JVMs take a lock in turn, with a pause between them. At the last point one JVM takes it every 5"
                + " ms, and the other one visits it; the waits are those of the visitor, who recalls a retained lock"
                + " each time. Unused locks are retained for " + BoltworkLocks.RETENTION.toMillis() + " ms.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_RETAINED, Entrant.REDISSON);
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(3);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        List<Point> all = new ArrayList<>(IN_TURN);
        all.add(VISITED);
        return plan.choose(all, List.of(AFTER_10_MS));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public Entrant reference(String point) {
        return Entrant.BOLTWORK;
    }

    @Override
    public List<Figure> columns() {
        return List.of(
                Figure.WAIT_P50,
                Figure.WAIT_P99,
                Figure.WAIT_MAX,
                Figure.THROUGHPUT,
                Figure.REQUESTS,
                Figure.COMMANDS,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(
                        AFTER_10_MS.id(), Figure.WAIT_P50, Entrant.BOLTWORK_RETAINED, Entrant.BOLTWORK, false, 1.1),
                Target.difference(
                        VISITED.id(), Figure.WAIT_P50, Entrant.BOLTWORK_RETAINED, Entrant.BOLTWORK, false, 1_000));
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return super.estimate(plan, point).plus(plan.warmUp(2).multipliedBy(WarmUp.REHEARSAL));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(2, TurnsJob.NAME, plan.load(2, 1, 1, Duration.ZERO))
                .with(TurnsJob.PAUSE_MICROS, (long) (point.x() * 1_000))
                .with(TurnsJob.VISITOR, point == VISITED ? 1 : 0);
    }
}
