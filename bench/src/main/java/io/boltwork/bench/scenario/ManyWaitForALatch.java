// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LatchJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** Scenario S17. */
final class ManyWaitForALatch extends LoadScenario {
    private static final int WAITERS = 1_000;
    private static final int CLIENTS = 4;
    private static final Point THOUSAND = new Point("1,000 waiters, 4 clients", WAITERS);

    @Override
    public String id() {
        return "S17";
    }

    @Override
    public String title() {
        return "A thousand callers wait for a latch";
    }

    @Override
    public String about() {
        return "1,000 asynchronous callers of four clients wait for a latch, and have had 200 ms to begin to wait"
                + " when it is counted down. The wait is from then until a caller is told. Requests, commands and bytes"
                + " are those of a caller, and include its asking.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.REDISSON);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(THOUSAND);
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(
                Figure.WAIT_P50,
                Figure.WAIT_P99,
                Figure.WAIT_MAX,
                Figure.REQUESTS,
                Figure.COMMANDS,
                Figure.BYTES_IN,
                Figure.BYTES_OUT);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.ratio(THOUSAND.id(), Figure.WAIT_P99, Entrant.BOLTWORK, Entrant.REDISSON, false, 1));
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return super.estimate(plan, point).plus(plan.time());
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, LatchJob.NAME, plan.load(1, 1, 0, Duration.ZERO, plan.steady()))
                .withClients(CLIENTS)
                .with(LatchJob.WAITERS, WAITERS);
    }
}
