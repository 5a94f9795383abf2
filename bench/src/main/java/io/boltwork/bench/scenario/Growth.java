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

/** Scenario S10. */
final class Growth extends LoadScenario {
    /**
     * One for each processor of the machine that the page describes. The compilers of four JVMs do not rest there
     * within a minute.
     */
    private static final int MOST_JVMS = 2;

    private static final double FLAT = 1.1;

    private static final Point ONE_CLIENT = new Point("1 client, one lock", 1);
    private static final Point SOME_CLIENTS = new Point("8 clients, one lock", 8);
    private static final Point ALL_CLIENTS = new Point("64 clients, one lock", 64);
    private static final Point ONE_LOCK = new Point("1 thread, 1 lock", 1);
    private static final Point ALL_LOCKS = new Point("1 thread, 10,000 locks", 10_000);
    private static final Point ONE_WAITER = new Point("1 waiter", 1);
    private static final Point ALL_WAITERS = new Point("1,000 waiters", 1_000);

    private static final List<Point> CLIENTS = List.of(ONE_CLIENT, SOME_CLIENTS, ALL_CLIENTS);
    private static final List<Point> LOCKS = List.of(ONE_LOCK, ALL_LOCKS);
    private static final List<Point> WAITERS = List.of(ONE_WAITER, ALL_WAITERS);

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
        return "Three things grow: the clients on one lock, with a thread each, in up to two JVMs; the locks that one"
                + " thread uses in turn; and the threads of one JVM that wait for a lock. The cost of a pair should"
                + " not grow with them. With more clients a lock passes from client to client, which is rehearsed"
                + " until the compilers rest, for at most 45 s. The JDK's fair lock beside the waiters shows what"
                + " this machine needs to put one thread to sleep and wake another, with two threads and with a"
                + " thousand.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(
                Entrant.BOLTWORK,
                Entrant.BOLTWORK_FIFO,
                Entrant.REDISSON,
                Entrant.REDISSON_FAIR,
                Entrant.SCRIPTS,
                Entrant.LOCAL);
    }

    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        List<Entrant> all = CLIENTS.contains(point)
                ? List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON, Entrant.REDISSON_FAIR)
                : LOCKS.contains(point)
                        ? List.of(Entrant.BOLTWORK, Entrant.REDISSON, Entrant.SCRIPTS)
                        : List.of(Entrant.BOLTWORK, Entrant.REDISSON, Entrant.LOCAL);
        return plan.isOnCluster() ? all.stream().filter(Entrant::isOnCluster).toList() : all;
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(3);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        List<Point> all = new ArrayList<>(CLIENTS);
        all.addAll(LOCKS);
        all.addAll(WAITERS);
        return plan.choose(all, List.of(ONE_WAITER));
    }

    @Override
    public boolean isOnCluster() {
        return true;
    }

    @Override
    public String axis() {
        return "clients";
    }

    @Override
    public List<Point> curve(BenchPlan plan) {
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
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        int count = (int) point.x();
        if (CLIENTS.contains(point)) {
            int jvms = Math.min(MOST_JVMS, count);
            int each = count / jvms;
            Map<String, Long> load = jvms == 1
                    ? plan.load(1, each, 1, Duration.ZERO, plan.steady())
                    : plan.load(jvms, each, 1, Duration.ZERO, plan.passing(jvms), plan.longestPassing());
            return Setup.of(jvms, LoadJob.NAME, load).withClients(each);
        }
        return LOCKS.contains(point)
                ? Setup.of(1, LoadJob.NAME, plan.load(1, 1, count, Duration.ZERO, plan.steady()))
                : Setup.of(1, LoadJob.NAME, plan.load(1, count + 1, 1, Duration.ZERO));
    }
}
