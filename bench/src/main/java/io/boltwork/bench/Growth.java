package io.boltwork.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** S10. */
final class Growth extends LoadScenario {
    private static final int MOST_JVMS = 4;
    private static final double FLAT = 1.1;

    private static final Point ONE_CLIENT = new Point("1 client, one lock", 1);
    private static final Point FOUR_CLIENTS = new Point("4 clients, one lock", 4);
    private static final Point SIXTEEN_CLIENTS = new Point("16 clients, one lock", 16);
    private static final Point ALL_CLIENTS = new Point("64 clients, one lock", 64);
    private static final Point ONE_LOCK = new Point("1 thread, 1 lock", 1);
    private static final Point SOME_LOCKS = new Point("1 thread, 100 locks", 100);
    private static final Point ALL_LOCKS = new Point("1 thread, 10,000 locks", 10_000);
    private static final Point ONE_WAITER = new Point("1 waiter", 1);
    private static final Point SOME_WAITERS = new Point("100 waiters", 100);
    private static final Point ALL_WAITERS = new Point("1,000 waiters", 1_000);

    private static final List<Point> CLIENTS = List.of(ONE_CLIENT, FOUR_CLIENTS, SIXTEEN_CLIENTS, ALL_CLIENTS);
    private static final List<Point> LOCKS = List.of(ONE_LOCK, SOME_LOCKS, ALL_LOCKS);
    private static final List<Point> WAITERS = List.of(ONE_WAITER, SOME_WAITERS, ALL_WAITERS);

    @Override
    public String id() {
        return "S10";
    }

    @Override
    public String title() {
        return "Growth";
    }

    @Override
    public String about() {
        return "More clients on one lock, a thread each, in up to four JVMs; more locks that one thread goes round; more threads"
                + " of one JVM that wait for a lock. What a pair costs should not grow.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON, Entrant.REDISSON_FAIR);
    }

    @Override
    public List<Point> points(Plan plan) {
        List<Point> all = new ArrayList<>(CLIENTS);
        all.addAll(LOCKS);
        all.addAll(WAITERS);
        return plan.choose(all, List.of(SOME_WAITERS));
    }

    @Override
    public String axis() {
        return "clients";
    }

    @Override
    public List<Point> curve(Plan plan) {
        return points(plan).stream().filter(CLIENTS::contains).toList();
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (List<Point> points : List.of(CLIENTS, LOCKS, WAITERS)) {
            String first = points.get(0).id();
            String last = points.get(points.size() - 1).id();
            for (Figure figure : List.of(Figure.REQUESTS, Figure.COMMANDS, Figure.CLIENT_CPU, Figure.SERVER_CPU)) {
                targets.add(new Target(
                        last + " / " + first + ": " + figure.title() + ", " + Entrant.BOLTWORK.title(),
                        false,
                        FLAT,
                        results -> results.median(last, Entrant.BOLTWORK, figure)
                                / results.median(first, Entrant.BOLTWORK, figure)));
            }
        }
        return targets;
    }

    @Override
    Setup setup(Plan plan, Point point, Entrant entrant) {
        int count = (int) point.x();
        if (CLIENTS.contains(point)) {
            int jvms = Math.min(MOST_JVMS, count);
            int each = count / jvms;
            return Setup.of(jvms, LoadJob.NAME, plan.load(each, 1, Duration.ZERO))
                    .withClients(each);
        }
        return LOCKS.contains(point)
                ? Setup.of(1, LoadJob.NAME, plan.load(1, count, Duration.ZERO))
                : Setup.of(1, LoadJob.NAME, plan.load(count + 1, 1, Duration.ZERO));
    }
}
