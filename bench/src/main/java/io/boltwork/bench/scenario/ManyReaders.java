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

/** Scenario S12. */
final class ManyReaders extends LoadScenario {
    private static final int READS = 19;
    private static final int THREADS = 16;
    private static final Point ONE_JVM = new Point("1 JVM × 16 threads", 1);
    private static final Point FOUR_JVMS = new Point("4 JVMs × 4 threads", 4);

    @Override
    public String id() {
        return "S12";
    }

    @Override
    public String title() {
        return "Nineteen readers to one writer";
    }

    @Override
    public String about() {
        return "Sixteen threads use one read-write lock as often as they can, in one JVM or four in each of four. Of"
                + " twenty turns, a thread reads in nineteen and writes in one, with nothing inside but the check."
                + " Waits are those of all turns unless a column says otherwise.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.BOLTWORK_FIFO, Entrant.REDISSON_READ_WRITE);
    }

    @Override
    public Entrant reference(String point) {
        return Entrant.REDISSON_READ_WRITE;
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return plan.choose(List.of(ONE_JVM, FOUR_JVMS), List.of(ONE_JVM));
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Figure> columns() {
        List<Figure> columns = new ArrayList<>(PER_PAIR);
        columns.add(columns.indexOf(Figure.WAIT_MAX) + 1, Figure.WRITE_WAIT_P99);
        return columns;
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.ratio(ONE_JVM.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON_READ_WRITE, true, 10),
                Target.ratio(
                        FOUR_JVMS.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.REDISSON_READ_WRITE, true, 10));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        int jvms = (int) point.x();
        Duration rehearsal = jvms == 1 ? plan.steady() : plan.passing(jvms);
        return Setup.of(jvms, LoadJob.NAME, plan.load(jvms, THREADS / jvms, 1, Duration.ZERO, rehearsal))
                .with(LoadJob.READS, READS);
    }
}
