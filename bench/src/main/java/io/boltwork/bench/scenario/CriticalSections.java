// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scenario S11. */
final class CriticalSections extends LoadScenario {
    private static final int THREADS = 16;
    private static final int MOST_JVMS = 4;
    private static final List<Integer> CLIENTS = List.of(1, 4, 16);
    private static final List<Section> SECTIONS = List.of(
            new Section("nothing", Duration.ZERO),
            new Section("0.1 ms", Duration.ofNanos(100_000)),
            new Section("1 ms", Duration.ofMillis(1)),
            new Section("10 ms", Duration.ofMillis(10)));

    private record Section(String title, Duration time) {
        Point with(int clients) {
            return new Point(title + " inside, " + (clients == 1 ? "1 client" : clients + " clients"), clients);
        }
    }

    @Override
    public String id() {
        return "S11";
    }

    @Override
    public String title() {
        return "Critical sections of different lengths";
    }

    @Override
    public String about() {
        return "Sixteen threads want one lock. They belong to one client, to four clients, or each to its own, in up"
                + " to four JVMs. Inside, they sleep for a time. If a client has many of the threads, handover within"
                + " it helps. If each client has one thread, every turn goes through Redis. The longer the threads"
                + " are inside, the less the way to the lock matters: the share of what the work allows approaches 1"
                + " for all contenders.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON);
    }

    @Override
    public int repetitions(BenchPlan plan, Point point) {
        return plan.repetitions(1);
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(all(), List.of(SECTIONS.get(2).with(4)));
    }

    private static List<Point> all() {
        List<Point> all = new ArrayList<>();
        for (Section section : SECTIONS) {
            for (int clients : CLIENTS) {
                all.add(section.with(clients));
            }
        }
        return all;
    }

    @Override
    public String axis() {
        return "clients";
    }

    @Override
    public List<Point> curve(BenchPlan plan) {
        return points(plan).subList(0, plan.quick() ? 0 : CLIENTS.size());
    }

    @Override
    public List<Figure> columns() {
        List<Figure> columns = new ArrayList<>(PER_PAIR);
        columns.add(1, Figure.ALLOWED);
        columns.add(2, Figure.INSIDE);
        return columns;
    }

    @Override
    public List<Target> targets() {
        return all().stream()
                .map(point -> Target.ratio(point.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON, true, 1))
                .toList();
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        int clients = (int) point.x();
        int jvms = Math.min(MOST_JVMS, clients);
        Duration inside = SECTIONS.stream()
                .filter(section -> section.with(clients).equals(point))
                .findFirst()
                .orElseThrow()
                .time();
        return Setup.of(jvms, LoadJob.NAME, plan.load(jvms, THREADS / jvms, 1, inside))
                .withClients(clients / jvms);
    }

    @Override
    Map<Figure, Double> more(WorkOutcome outcome, Usage usage) {
        double inside = outcome.figures().getOrDefault(Figure.INSIDE.name(), 0.0) / 1e6;
        return Map.of(Figure.ALLOWED, outcome.perSecond() * inside);
    }
}
