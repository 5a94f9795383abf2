// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.floor.LedConnections;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Scenario S1. */
public final class OneThread extends LoadScenario {
    private static final Point ONE = new Point("1 thread", 1);

    @Override
    public String id() {
        return "S1";
    }

    @Override
    public String title() {
        return "One thread with its own lock";
    }

    @Override
    public String about() {
        return "One thread locks and unlocks, and no other thread wants the lock. The cost of a round trip decides,"
                + " and the floors show that cost alone.";
    }

    @Override
    public List<Entrant> entrants() {
        return withOptions().toList();
    }

    public static List<Entrant> withFloors() {
        return withOptions()
                .filter(entrant -> !entrant.isOption() && entrant != Entrant.SCRIPTS_LED)
                .toList();
    }

    private static Stream<Entrant> withOptions() {
        return Stream.of(Entrant.values())
                .filter(entrant -> entrant.isOn(BenchDeployment.STANDALONE)
                        && (entrant != Entrant.SCRIPTS_LED || LedConnections.isPossible())
                        && entrant != Entrant.PUBLISH
                        && entrant != Entrant.LOCAL
                        && !entrant.isShared()
                        && !entrant.isQuorum());
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        return plan.deployment().isRedis()
                ? super.entrants(plan, point)
                : onStore(plan.deployment()).toList();
    }

    @Override
    public boolean isOnStores() {
        return true;
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(ONE);
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.SCRIPTS, true, 0.97),
                Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK_SENT, Entrant.SCRIPTS, true, 1.7),
                Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK_RETAINED, Entrant.REDISSON, true, 100),
                Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.JEDIS, true, 0.75),
                Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, 1.8));
    }

    @Override
    public List<Target> targetsOn(BenchDeployment store) {
        double least = store == BenchDeployment.ETCD ? 1.0 : 0.9;
        return onStore(store)
                .filter(Entrant::isPeer)
                .map(peer -> Target.ratio(ONE.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, peer, true, least))
                .toList();
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, LoadJob.NAME, plan.load(1, 1, 0, Duration.ZERO, plan.steady()));
    }
}
