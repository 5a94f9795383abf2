package io.boltwork.bench;

import java.time.Duration;
import java.util.List;

/** One of the comparisons. */
interface Scenario {
    /** Such as {@code S1}. */
    String id();

    String title();

    /** What is done and what to look at, in a few sentences for the page. */
    String about();

    /** Who takes part somewhere, on one server. */
    List<Entrant> entrants();

    /** Who takes part at a point. */
    default List<Entrant> entrants(Plan plan, Point point) {
        return entrants();
    }

    /** How often a point is measured. */
    default int repetitions(Plan plan, Point point) {
        return plan.repetitions(plan.isOnCluster() ? 3 : 5);
    }

    /** Whether it is made on a cluster, too. */
    default boolean isOnCluster() {
        return false;
    }

    /** What is varied. */
    List<Point> points(Plan plan);

    /** What the points differ in, for a plot's axis; empty if a plot would show nothing. */
    String axis();

    /** Those of the points that make a curve over that axis. */
    default List<Point> curve(Plan plan) {
        return axis().isEmpty() ? List.of() : points(plan);
    }

    /** What the tables show; the first is what ratios are taken of. */
    List<Figure> columns();

    /** What is to be reached. */
    List<Target> targets();

    /** About how long a measurement takes, all in all. */
    Duration estimate(Plan plan, Point point);

    Sample measure(Plan plan, Point point, Entrant entrant, int repetition) throws InterruptedException;

    /** By its id. */
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
                new FlashSale(),
                new Renewal(),
                new Handoff(),
                new Crash(),
                new Footprint(),
                new Growth(),
                new CriticalSections());
    }
}
