// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.FootprintJob;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.Stage;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Scenario S9. */
final class Footprint implements Scenario {
    private static final Point MANY = new Point("20,000 locks", 20_000);
    private static final Point FEW = new Point("2,000 locks", 2_000);
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration QUICK_PATIENCE = Duration.ofSeconds(20);
    private static final Duration SETTLE = Duration.ofSeconds(12);
    private static final Duration QUICK_SETTLE = Duration.ofSeconds(2);
    private static final Duration LEASE = Duration.ofMinutes(2); // long enough that no lock is renewed
    private static final double KIBIBYTE = 1_024;
    private static final String MEMORY = """
            local sum = 0
            for _, key in ipairs(redis.call('KEYS', '*' .. ARGV[1] .. '*')) do
              sum = sum + redis.call('MEMORY', 'USAGE', key)
            end
            return sum
            """;

    @Override
    public String id() {
        return "S9";
    }

    @Override
    public String title() {
        return "Memory";
    }

    @Override
    public String about() {
        return "One thread takes many locks, with a lease of two minutes, and gives them back. Heap is what is live"
                + " after garbage collections, less what was live before. Idle is "
                + SETTLE.toSeconds()
                + " seconds after the last unlock: Boltwork remembers a release for ten. Redis is MEMORY USAGE of"
                + " all keys with the locks' names. Allocated is what all threads of the JVM allocate for pairs of one"
                + " thread. Two PINGs show the part of Lettuce, Netty and the"
                + " waiting for replies, so the difference is Boltwork's own part.";
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
                Entrant.PING);
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(1);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(MANY), List.of(FEW));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(Figure.HEAP_HELD, Figure.HEAP_IDLE, Figure.REDIS_HELD, Figure.REDIS_IDLE, Figure.ALLOCATED);
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.figure(MANY.id(), Figure.HEAP_HELD, Entrant.BOLTWORK, false, 600),
                Target.figure(MANY.id(), Figure.HEAP_IDLE, Entrant.BOLTWORK, false, 10),
                Target.ratio(MANY.id(), Figure.REDIS_HELD, Entrant.BOLTWORK, Entrant.REDISSON, false, 1.5),
                new Target(
                        "allocated per pair, B, beyond two PINGs over Lettuce",
                        false,
                        KIBIBYTE,
                        results -> results.median(MANY.id(), Entrant.BOLTWORK, Figure.ALLOCATED)
                                - results.median(MANY.id(), Entrant.PING, Figure.ALLOCATED)));
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        return plan.time().plus(settle(plan).multipliedBy(2)).plusSeconds(4 + (long) point.x() / 2_000);
    }

    @Override
    public Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition) throws InterruptedException {
        Setup setup = Setup.of(
                        1,
                        FootprintJob.NAME,
                        Map.of(
                                LoadJob.LOCKS,
                                (long) point.x(),
                                FootprintJob.HOLD,
                                entrant.isFloor() ? 0L : 1L,
                                FootprintJob.SETTLE,
                                settle(plan).toMillis(),
                                LoadJob.MILLIS,
                                plan.millis()))
                .withLease(LEASE);
        Duration patience = plan.quick() ? QUICK_PATIENCE : PATIENCE;
        try (Stage stage = Stage.set(plan, entrant, setup)) {
            Stage.Meter meter = stage.meter();
            Map<Figure, Double> more = new LinkedHashMap<>();
            stage.go();
            if (!entrant.isFloor()) {
                stage.expect(0, FootprintJob.HELD, patience);
                more.put(Figure.REDIS_HELD, memory(stage.redis()) / point.x());
                stage.tell(0, FootprintJob.RELEASE);
                stage.expect(0, FootprintJob.IDLE, patience);
                more.put(Figure.REDIS_IDLE, memory(stage.redis()) / point.x());
                stage.tell(0, FootprintJob.PAIRS);
            }
            return Sample.of(point, entrant, repetition, meter.read(), stage.outcome(0, patience), 0, more);
        }
    }

    private static Duration settle(BenchPlan plan) {
        return plan.quick() ? QUICK_SETTLE : SETTLE;
    }

    private static double memory(RedisServer redis) {
        return (Long) Objects.requireNonNull(redis.command("EVAL", MEMORY, "0", FootprintJob.PREFIX));
    }
}
