// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs many seeds ({@code -Dboltwork.seeds=N}, from {@code -Dboltwork.firstSeed}). A failing one is made smaller and
 * printed; {@code -Dboltwork.seed=N} runs that one alone.
 */
@ExtendWith(Quiet.class)
class SimulationTest {

    /** True for one thread and failures that are not made smaller: PIT has no time for more. */
    private static final boolean PLAIN = Boolean.getBoolean("boltwork.plain");

    private static final int THREADS = PLAIN ? 1 : 2;

    private final AtomicLong holds = new AtomicLong();
    private final AtomicLong handovers = new AtomicLong();
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong restores = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong executed = new AtomicLong();
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong virtualSeconds = new AtomicLong();
    private final Map<Plan.Trouble, Integer> faults = new EnumMap<>(Plan.Trouble.class);

    @Test
    void exclusionTokensAndProgressSurviveABadNetworkCrashesAndPauses() throws Exception {
        Long one = Long.getLong("boltwork.seed");
        if (one != null) {
            run(one);
            return;
        }
        long first = Long.getLong("boltwork.firstSeed", 0);
        long seeds = Long.getLong("boltwork.seeds", 500);
        run(first, seeds);
        assertThat(handovers.get()).as("handovers").isPositive();
        assertThat(losses.get()).as("losses").isPositive();
        assertThat(restores.get()).as("restores").isPositive();
        assertThat(failures.get()).as("failures").isPositive();
        assertThat(faults).containsOnlyKeys(Plan.Trouble.values());
    }

    @Test
    void sharedLocksSurviveThem() throws Exception {
        if (Long.getLong("boltwork.seed") != null) {
            return; // the other test runs it
        }
        long first = Plan.SHARED + Long.getLong("boltwork.firstSeed", 0) % Plan.SHARED;
        run(first, Long.getLong("boltwork.seeds", 500) / 2);
        assertThat(handovers.get()).as("holds without a request").isPositive();
        assertThat(losses.get()).as("losses").isPositive();
        assertThat(restores.get()).as("restores").isPositive();
    }

    @Test
    void conditionsSurviveThem() throws Exception {
        if (Long.getLong("boltwork.seed") != null) {
            return; // another test runs it
        }
        long first = Plan.CONDITIONS + Long.getLong("boltwork.firstSeed", 0) % Plan.SHARED;
        run(first, Long.getLong("boltwork.seeds", 500) / 4);
        assertThat(losses.get()).as("losses").isPositive();
        assertThat(restores.get()).as("restores").isPositive();
    }

    @Test
    void retentionSurvivesThem() throws Exception {
        if (Long.getLong("boltwork.seed") != null) {
            return; // another test runs it
        }
        long first = Plan.RETENTION + Long.getLong("boltwork.firstSeed", 0) % Plan.SHARED;
        run(first, Long.getLong("boltwork.seeds", 500) / 2);
        assertThat(handovers.get()).as("holds without a request").isPositive();
        assertThat(losses.get()).as("losses").isPositive();
        assertThat(restores.get()).as("restores").isPositive();
    }

    @Test
    void callersThatExecuteCommandsSurviveThem() throws Exception {
        if (Long.getLong("boltwork.seed") != null) {
            return; // another test runs it
        }
        long first = Plan.EXECUTING + Long.getLong("boltwork.firstSeed", 0) % Plan.SHARED;
        run(first, Long.getLong("boltwork.seeds", 500) / 2);
        assertThat(handovers.get()).as("holds without a request").isPositive();
        assertThat(losses.get()).as("losses").isPositive();
        assertThat(restores.get()).as("restores").isPositive();
        assertThat(executed.get()).as("commands that callers executed").isGreaterThan(100);
        assertThat(left.get()).as("callers that left").isPositive();
    }

    /** Runs as many seeds from that one on. */
    private void run(long first, long seeds) throws Exception {
        long start = System.nanoTime();
        AtomicLong next = new AtomicLong(first);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                parts.add(threads.submit(() -> {
                    for (long seed; (seed = next.getAndIncrement()) < first + seeds; ) {
                        run(seed);
                    }
                }));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        } finally {
            next.set(first + seeds);
            threads.shutdown();
        }
        System.out.printf(
                Locale.ROOT,
                "simulation: %,d runs of %,.0f virtual hours in %.0f s: %,d holds, %,d of them handed over, %,d lost,"
                        + " %,d restored, %,d requests failed, %,d faults %s%n",
                seeds,
                virtualSeconds.get() / 3600.0,
                (System.nanoTime() - start) / 1e9,
                holds.get(),
                handovers.get(),
                losses.get(),
                restores.get(),
                failures.get(),
                faults.values().stream().mapToInt(Integer::intValue).sum(),
                faults);
    }

    private void run(long seed) {
        Simulation simulation = new Simulation(Plan.of(seed), false);
        try {
            simulation.run();
        } catch (Violation violation) {
            if (PLAIN) {
                throw violation;
            }
            throw new AssertionError(Finding.of(seed, violation), violation);
        }
        holds.addAndGet(simulation.history.holds);
        handovers.addAndGet(simulation.history.handovers);
        losses.addAndGet(simulation.history.losses);
        restores.addAndGet(simulation.history.restores);
        failures.addAndGet(simulation.history.failures);
        for (SimulatedClient client : simulation.clients()) {
            executed.addAndGet(client.backend.executed);
            left.addAndGet(client.backend.left);
        }
        virtualSeconds.addAndGet(simulation.time.now() / Plan.SECOND);
        synchronized (faults) {
            simulation.plan.faults().forEach(fault -> faults.merge(fault.trouble(), 1, Integer::sum));
        }
    }
}
