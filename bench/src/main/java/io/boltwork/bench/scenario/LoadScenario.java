// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.job.Stage;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A scenario in which workers do one job for a while. */
public abstract class LoadScenario implements Scenario {
    private static final Duration DRAIN = Duration.ofSeconds(120);
    private static final Duration START = Duration.ofMillis(1_100);

    static final List<Figure> PER_PAIR = List.of(
            Figure.THROUGHPUT,
            Figure.JAIN,
            Figure.SLOWEST,
            Figure.WAIT_P50,
            Figure.WAIT_P99,
            Figure.WAIT_MAX,
            Figure.REQUESTS,
            Figure.COMMANDS,
            Figure.BYTES_IN,
            Figure.BYTES_OUT,
            Figure.CLIENT_CPU,
            Figure.SERVER_CPU,
            Figure.SLEEPS);

    /** Load on the server beside the work, until it is closed. */
    interface Background extends AutoCloseable {
        @Override
        void close();
    }

    /** Begins what goes on beside the work. */
    Background background(String uri, Point point) {
        return () -> {};
    }

    abstract Setup setup(BenchPlan plan, Point point, Entrant entrant);

    @Override
    public List<Figure> columns() {
        return PER_PAIR;
    }

    @Override
    public Duration estimate(BenchPlan plan, Point point) {
        Setup setup = setup(plan, point, Entrant.BOLTWORK);
        long least = setup.numbers().getOrDefault(LoadJob.REHEARSAL_MILLIS, 0L);
        long most = setup.numbers().getOrDefault(LoadJob.LONGEST_REHEARSAL_MILLIS, 0L);
        return plan.warmUp(setup.jvms())
                .plusMillis((least + Math.max(least, most)) / 2)
                .plus(plan.time())
                .plus(START.multipliedBy(setup.jvms()))
                .plus(plan.deployment().start());
    }

    @Override
    public final Sample measure(BenchPlan plan, Point point, Entrant entrant, int repetition)
            throws InterruptedException {
        try (Stage stage = Stage.set(plan, entrant, setup(plan, point, entrant));
                Background background = background(stage.uri(), point)) {
            Stage.Meter meter = stage.meter();
            stage.go();
            WorkOutcome outcome = stage.outcome(patience(plan, point));
            Usage usage = meter.read();
            long lost = Math.abs(outcome.entries() - stage.board().entries());
            return Sample.of(
                    point,
                    entrant,
                    repetition,
                    usage,
                    outcome,
                    lost + stage.board().overlaps() + violations(outcome),
                    more(outcome, usage));
        }
    }

    /** Returns additional figures. */
    Map<Figure, Double> more(WorkOutcome outcome, Usage usage) {
        return Map.of();
    }

    /** Returns violations that the board does not show. */
    long violations(WorkOutcome outcome) {
        return 0;
    }

    /** Returns the time that the workers may take. */
    Duration patience(BenchPlan plan, Point point) {
        return plan.time().plus(DRAIN);
    }

    /** Returns the contenders for the deployment. On a store other than Redis, those that can wait for a lock. */
    @Override
    public List<Entrant> entrants(BenchPlan plan, Point point) {
        BenchDeployment deployment = plan.deployment();
        return deployment.isRedis()
                ? entrants().stream()
                        .filter(entrant -> entrant.isOn(deployment))
                        .toList()
                : onStore(deployment).filter(Entrant::canWait).toList();
    }

    /** Returns the contenders on a store other than Redis. */
    public static Stream<Entrant> onStore(BenchDeployment store) {
        return Stream.of(Entrant.values()).filter(entrant -> entrant.isOn(store));
    }

    static List<Entrant> locks() {
        return Stream.of(Entrant.values())
                .filter(entrant -> entrant.isOn(BenchDeployment.STANDALONE))
                .filter(entrant ->
                        !entrant.isFloor() && !entrant.isOption() && !entrant.isShared() && !entrant.isQuorum())
                .toList();
    }
}
