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
import java.util.Map;

/** Scenario S18. */
final class SeveralServers extends LoadScenario {
    /** The number of servers of the quorum. */
    static final int SERVERS = 5;

    private static final Point ALONE = new Point("1 client", 1);
    private static final Point THREE = new Point("3 clients", 3);
    private static final Point EIGHT = new Point("8 clients", 8);
    private static final Point MANY = new Point("32 clients", 32);

    private static final List<Point> CONTENDED = List.of(THREE, EIGHT, MANY);

    @Override
    public String id() {
        return "S18";
    }

    @Override
    public String title() {
        return "A quorum of five servers";
    }

    @Override
    public String about() {
        return "Clients of one JVM, with a thread each, lock and unlock the same lock on five independent servers."
                + " One client alone meets no contention; Boltwork on only the first of the servers stands beside it."
                + " `RedissonMultiLock` needs all five servers, `RedissonRedLock`, which is deprecated, and Boltwork"
                + " need three. Of these only Boltwork has tokens. The servers have been up for long enough to vote.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK_QUORUM, Entrant.REDISSON_MULTI, Entrant.REDISSON_RED, Entrant.BOLTWORK);
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return entrants().stream()
                .filter(entrant -> point == ALONE || entrant != Entrant.BOLTWORK)
                .toList();
    }

    @Override
    public Entrant reference(String point) {
        return Entrant.REDISSON_MULTI;
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(5);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(ALONE, THREE, EIGHT, MANY), List.of(THREE));
    }

    @Override
    public String axis() {
        return "clients";
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Point point : CONTENDED) {
            targets.add(Target.ratio(
                    point.id(), Figure.THROUGHPUT, Entrant.BOLTWORK_QUORUM, Entrant.REDISSON_MULTI, true, 10));
            targets.add(Target.figure(point.id(), Figure.JAIN, Entrant.BOLTWORK_QUORUM, true, 0.9));
        }
        return targets;
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        int clients = (int) point.x();
        Map<String, Long> load = plan.load(1, clients, 1, Duration.ZERO, plan.steady());
        return Setup.of(1, LoadJob.NAME, load).withClients(clients).withServers(SERVERS);
    }
}
