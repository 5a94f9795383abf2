// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.SaleJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.WarmUp;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scenario S5. */
final class FlashSaleScenario extends LoadScenario {
    private static final Duration WORK = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int SHOPS = 2;
    private static final int STOCK = 10;

    /* A sale with work inside takes a minute with any lock, so only the contenders of the targets are measured. */
    private static final List<Entrant> AT_WORK =
            List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON, Entrant.LOCAL);
    private static final List<Entrant> TRYING = List.of(Entrant.BOLTWORK, Entrant.REDISSON);

    private static final Point BY_LOCK = new Point("1,000 buyers, lock()", 1_000);
    private static final Point BY_TRY_LOCK = new Point("1,000 buyers, tryLock(90 s)", 1_000);
    private static final Point RUSH = new Point("100 buyers at once", 100);

    @Override
    public String id() {
        return "S5";
    }

    @Override
    public String title() {
        return "Flash sale";
    }

    @Override
    public String about() {
        return "Each buyer is a thread in one of two JVMs and wants one of ten items. Either a thousand buyers come"
                + " within five seconds and spend 50 ms inside, whether or not an item is left, or a hundred come at"
                + " once and do nothing inside. The work allows 1 s divided by the mean time inside. A sale is measured"
                + " to its end. Before a sale with a thousand buyers, hand-offs between the JVMs are rehearsed as in"
                + " S7. The floor is one shop with all buyers and the JDK's own lock: it shows how long threads of this"
                + " machine take to wake.";
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
                Entrant.LOCAL);
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return point == RUSH
                ? entrants().stream().filter(entrant -> !entrant.isFloor()).toList()
                : point == BY_LOCK ? AT_WORK : TRYING;
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(point == RUSH ? 3 : 1);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(BY_LOCK, BY_TRY_LOCK, RUSH), List.of(RUSH));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(
                Figure.SERVED,
                Figure.ALLOWED,
                Figure.INSIDE,
                Figure.TURNED_AWAY,
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
        List<Target> targets = new ArrayList<>();
        for (Point point : List.of(BY_LOCK, BY_TRY_LOCK)) {
            targets.add(Target.figure(point.id(), Figure.ALLOWED, Entrant.BOLTWORK, true, 0.99));
        }
        targets.add(Target.ratio(RUSH.id(), Figure.SERVED, Entrant.BOLTWORK, Entrant.REDISSON, true, 2));
        return targets;
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        Duration work = point == RUSH ? Duration.ofMillis(500) : WORK.multipliedBy((long) point.x());
        return work.plus(rehearsal(plan, point)).plusSeconds(4);
    }

    @Override
    Duration patience(BenchPlan plan, Point point) {
        return estimate(plan, point).multipliedBy(6);
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        boolean rush = point == RUSH;
        int shops = entrant == Entrant.LOCAL ? 1 : SHOPS;
        return Setup.of(
                shops,
                SaleJob.NAME,
                Map.of(
                        SaleJob.SHOPS,
                        (long) shops,
                        SaleJob.BUYERS,
                        (long) point.x() / shops,
                        SaleJob.OVER_MILLIS,
                        rush ? 0 : (long) point.x() * 5,
                        SaleJob.WORK_NANOS,
                        rush ? 0 : WORK.toNanos(),
                        SaleJob.STOCK,
                        (long) STOCK,
                        LoadJob.REHEARSAL_MILLIS,
                        rehearsal(plan, point).toMillis(),
                        SaleJob.TRY_MILLIS,
                        point == BY_TRY_LOCK ? PATIENCE.toMillis() : 0));
    }

    @Override
    Map<Figure, Double> more(WorkOutcome outcome, Usage usage) {
        double inside = outcome.figures().getOrDefault(Figure.INSIDE.name(), 0.0) / 1e6;
        double perSecond = outcome.pairs() / outcome.seconds();
        return Map.of(Figure.SERVED, perSecond, Figure.ALLOWED, perSecond * inside);
    }

    @Override
    long violations(WorkOutcome outcome) {
        double sold = outcome.figures().getOrDefault(Figure.SOLD.name(), 0.0);
        return Math.max(0, Math.round(sold) - STOCK);
    }

    private static Duration rehearsal(BenchPlan plan, Point point) {
        return point == RUSH ? Duration.ZERO : plan.warmUp(SHOPS).multipliedBy(WarmUp.REHEARSAL);
    }
}
