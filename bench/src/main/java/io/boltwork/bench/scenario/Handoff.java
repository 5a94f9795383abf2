// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.HandoffJob;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.PublishJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.WarmUp;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** Scenario S7. */
public final class Handoff extends LoadScenario {
    private static final Point TWO = new Point("2 JVMs", 2);

    /**
     * The time after which a client surely waits for a lock on a store other than Redis. A commit takes milliseconds.
     */
    private static final Duration SETTLE = Duration.ofMillis(20);

    /** The longest interval at which a contender polls there. */
    private static final Duration LONGEST_POLL = Duration.ofMillis(100);

    @Override
    public String id() {
        return "S7";
    }

    @Override
    public String title() {
        return "Hand-off between two JVMs";
    }

    @Override
    public String about() {
        return "A lock goes back and forth between two JVMs. The time is from before unlock() in one JVM until lock()"
                + " returns in the other, which has waited for at least two milliseconds. The floor is a message,"
                + " from before PUBLISH until the subscriber has it. Both are rehearsed in quick succession, six"
                + " times as long as other scenarios warm up: at intervals of two milliseconds the compiler works for"
                + " half a minute, on the measured processors. Jedis represents the contenders that poll.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(
                Entrant.BOLTWORK,
                Entrant.BOLTWORK_FIFO,
                Entrant.REDISSON,
                Entrant.REDISSON_FAIR,
                Entrant.SPRING_PUBSUB,
                Entrant.JEDIS,
                Entrant.PUBLISH);
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        Duration extra =
                plan.deployment().isRedis() ? Duration.ZERO : time(plan).minus(plan.time());
        return super.estimate(plan, point)
                .plus(plan.warmUp(2).multipliedBy(WarmUp.REHEARSAL))
                .plus(extra);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(TWO);
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
    public List<Figure> columns() {
        return List.of(
                Figure.WAIT_P50,
                Figure.WAIT_P99,
                Figure.WAIT_MAX,
                Figure.REQUESTS,
                Figure.COMMANDS,
                Figure.BYTES_IN,
                Figure.BYTES_OUT,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(TWO.id(), Figure.WAIT_P50, Entrant.BOLTWORK, Entrant.REDISSON, false, 0.35),
                Target.ratio(TWO.id(), Figure.WAIT_P50, Entrant.BOLTWORK, Entrant.PUBLISH, false, 2),
                Target.figure(TWO.id(), Figure.WAIT_P99, Entrant.BOLTWORK, false, 1_000));
    }

    /** On PostgreSQL the server sends a message; on the other databases, Boltwork asks every 50 ms. */
    @Override
    public List<Target> targetsOn(BenchDeployment store) {
        double bound = store == BenchDeployment.POSTGRESQL ? 0.1 : 0.7;
        return store.isDatabase()
                ? List.of(
                        Target.ratio(TWO.id(), Figure.WAIT_P50, Entrant.BOLTWORK, Entrant.JDBC_REGISTRY, false, bound))
                : List.of();
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        String job = entrant == Entrant.PUBLISH ? PublishJob.NAME : HandoffJob.NAME;
        Setup setup = Setup.of(2, job, plan.load(2, 1, 1, Duration.ZERO));
        return plan.deployment().isRedis()
                ? setup
                : setup.with(HandoffJob.SETTLE_MILLIS, SETTLE.toMillis())
                        .with(HandoffJob.PHASE_MILLIS, LONGEST_POLL.toMillis())
                        .with(HandoffJob.IN_TURN, 1)
                        .with(LoadJob.MILLIS, time(plan).toMillis());
    }

    /** Returns the time of a measurement on a store other than Redis, where a turn takes a tenth of a second. */
    private static Duration time(BenchPlan plan) {
        return plan.time().multipliedBy(5);
    }

    @Override
    Duration patience(BenchPlan plan, Point point) {
        return super.patience(plan, point).plus(time(plan));
    }
}
