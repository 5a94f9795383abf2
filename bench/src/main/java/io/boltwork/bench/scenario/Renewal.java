// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.entrant.ServerCounters;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.HoldJob;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.Stage;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Leases;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Scenario S6. */
final class Renewal implements Scenario {
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration TIME = Duration.ofSeconds(30);
    private static final Duration QUICK_TIME = Duration.ofSeconds(6);
    /**
     * With 100,000 locks the compilers took 3.5 % of a processor in the first quarter of this time, and 0.1 % in the
     * last.
     */
    private static final Duration LONGEST_REHEARSAL = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int SOME = 100;
    private static final int HEAP_MEGABYTES = 1_024;

    private static final Point SMALL = new Point("1,000 locks", 1_000);
    private static final Point TEN_THOUSAND = new Point("10,000 locks", 10_000);
    private static final Point HUNDRED_THOUSAND = new Point("100,000 locks", 100_000);

    @Override
    public String id() {
        return "S6";
    }

    @Override
    public String title() {
        return "Renewal of many held locks";
    }

    @Override
    public String about() {
        return "One client holds many locks for half a minute, with a lease of six seconds. Once a second a hundred"
                + " of them are checked for the least lease left, as a share of the six seconds. The cost of these"
                + " checks at Redis is included, but is below one percent. Code that runs so rarely keeps the JVM's"
                + " compilers busy for long. The measurement starts when they have worked for less than 0.5 % of six"
                + " seconds, at the latest a minute after the last lock was taken. Client CPU excludes what the"
                + " compilers still use.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.REDISSON, Entrant.SPRING_PUBSUB);
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return point == HUNDRED_THOUSAND ? List.of(Entrant.BOLTWORK, Entrant.REDISSON) : entrants();
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(3);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(TEN_THOUSAND, HUNDRED_THOUSAND), List.of(SMALL));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        return List.of(
                Figure.CLIENT_CPU_SHARE,
                Figure.SERVER_CPU_SHARE,
                Figure.REQUESTS_PER_SECOND,
                Figure.COMMANDS_PER_SECOND,
                Figure.BYTES_PER_SECOND,
                Figure.LEAST_LEASE);
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Point point : List.of(TEN_THOUSAND, HUNDRED_THOUSAND)) {
            for (Figure figure : List.of(Figure.REQUESTS_PER_SECOND, Figure.BYTES_PER_SECOND)) {
                targets.add(Target.ratio(point.id(), figure, Entrant.BOLTWORK, Entrant.REDISSON, false, 1));
            }
            targets.add(
                    Target.ratio(point.id(), Figure.CLIENT_CPU_SHARE, Entrant.BOLTWORK, Entrant.REDISSON, false, 0.7));
            targets.add(Target.figure(point.id(), Figure.LEAST_LEASE, Entrant.BOLTWORK, true, 0.5));
        }
        return targets;
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        Duration least = plan.warmUp(1);
        Duration most = longestRehearsal(plan);
        Duration rehearsal = most.compareTo(least) > 0 ? most.plus(least).dividedBy(2) : least;
        return time(plan).plus(rehearsal).plusSeconds(2 + (long) point.x() / 10_000);
    }

    private static Duration time(BenchPlan plan) {
        return plan.quick() ? QUICK_TIME : TIME;
    }

    private static Duration longestRehearsal(BenchPlan plan) {
        return plan.quick() ? Duration.ZERO : LONGEST_REHEARSAL;
    }

    @Override
    public Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition) throws InterruptedException {
        Setup setup = Setup.of(
                        1,
                        HoldJob.NAME,
                        Map.of(
                                LoadJob.LOCKS, (long) point.x(),
                                LoadJob.REHEARSAL_MILLIS, plan.warmUpMillis(),
                                LoadJob.LONGEST_REHEARSAL_MILLIS,
                                        longestRehearsal(plan).toMillis(),
                                LoadJob.MILLIS, time(plan).toMillis()))
                .withLease(LEASE)
                .withRenewal()
                .withHeap(HEAP_MEGABYTES);
        try (Stage stage = Stage.set(plan, entrant, setup)) {
            Stage.Meter meter = stage.meter();
            stage.go();
            long least = Long.MAX_VALUE;
            long looks = 0;
            for (long end = System.nanoTime() + time(plan).toNanos(); System.nanoTime() < end; looks++) {
                least = Math.min(least, Leases.leastOfSome(stage.redis(), HoldJob.PREFIX, SOME));
                Thread.sleep(1_000);
            }
            WorkOutcome outcome = stage.outcome(PATIENCE);
            Usage usage = meter.read();
            ServerCounters server = usage.server();
            Map<Figure, Double> more = new LinkedHashMap<>();
            double seconds = outcome.seconds();
            more.put(Figure.SERVER_CPU_SHARE, server.cpuSeconds() / seconds * 100);
            more.put(Figure.REQUESTS_PER_SECOND, (server.requests(entrant) - looks) / seconds);
            more.put(Figure.COMMANDS_PER_SECOND, server.commands(entrant) / seconds);
            more.put(Figure.BYTES_PER_SECOND, (server.bytesIn() + server.bytesOut()) / seconds);
            more.put(Figure.LEAST_LEASE, least / (double) LEASE.toMillis());
            return Sample.of(point, entrant, repetition, usage, outcome, 0, more);
        }
    }
}
