// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import java.time.Duration;
import java.util.List;

/** A comparison. */
public interface Scenario {
    /** Returns the id, such as {@code S1}. */
    String id();

    String title();

    /** Returns a few sentences for the page that describe the procedure and the important figures. */
    String about();

    /** Returns all contenders that take part at any point, on one server. */
    List<Entrant> entrants();

    /** Returns the contenders that take part at a point. */
    default List<Entrant> entrants(BenchPlan plan, Point point) {
        return entrants();
    }

    /** Returns the repetitions of a point. */
    default int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(plan.isOnCluster() ? 3 : 5);
    }

    /** Returns whether the scenario is also measured on a cluster. */
    default boolean isOnCluster() {
        return false;
    }

    /** Returns whether the scenario is also measured on stores other than Redis. */
    default boolean isOnStores() {
        return false;
    }

    /** Returns whether the scenario is measured on a deployment. */
    default boolean isOn(BenchDeployment deployment) {
        return switch (deployment) {
            case STANDALONE -> true;
            case CLUSTER -> isOnCluster();
            case POSTGRESQL, MARIADB, H2, ZOOKEEPER, ETCD -> isOnStores();
        };
    }

    /** Returns the points. */
    List<Point> points(BenchPlan plan);

    /** Returns the parameter that varies, for a plot's axis. Empty if a plot would show nothing. */
    String axis();

    /** Returns the points that form a curve over that axis. */
    default List<Point> curve(BenchPlan plan) {
        return axis().isEmpty() ? List.of() : points(plan);
    }

    /** Returns the columns of the tables. The first one is the base of ratios. */
    List<Figure> columns();

    /** Returns the contender that the table of a point compares the others with. */
    default Entrant reference(String point) {
        return Entrant.REDISSON;
    }

    /** Returns the targets on Redis. */
    List<Target> targets();

    /** Returns the targets on a store other than Redis. */
    default List<Target> targetsOn(BenchDeployment store) {
        return List.of();
    }

    /** Returns the targets on a deployment. */
    default List<Target> targets(BenchDeployment deployment) {
        return deployment.isRedis() ? targets() : targetsOn(deployment);
    }

    /** Returns the approximate total time of a measurement. */
    Duration estimate(BenchPlan plan, Point point);

    Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition) throws InterruptedException;

    /** Returns the scenario with an id. */
    static Scenario of(String id) {
        return all().stream()
                .filter(scenario -> scenario.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no scenario " + id));
    }

    static List<Scenario> all() {
        return List.of(
                new OneThread(),
                new OwnLocks(),
                new SharedLock(),
                new SeveralJvms(),
                new FlashSaleScenario(),
                new Renewal(),
                new Handoff(),
                new Crash(),
                new Footprint(),
                new Growth(),
                new CriticalSections(),
                new ManyReaders(),
                new TenPermits(),
                new OtherKinds(),
                new PermitRenewal(),
                new SeveralAtOnce(),
                new ManyWaitForALatch(),
                new SeveralServers(),
                new TwoClients(),
                new OpenTransaction());
    }
}
