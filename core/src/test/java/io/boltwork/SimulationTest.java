package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Runs many seeds. A failing one is printed; {@code -Dboltwork.seed=N} runs that one alone and prints what happened before
 * it failed.
 */
class SimulationTest {

    private static final long SEEDS = Long.getLong("boltwork.seeds", 1_000);

    @Test
    void exclusionTokensAndProgressSurviveABadNetworkCrashesAndPauses() {
        Long one = Long.getLong("boltwork.seed");
        long holds = 0;
        long losses = 0;
        long handovers = 0;
        long failures = 0;
        for (long seed : one == null ? LongStream.range(0, SEEDS).toArray() : new long[] {one}) {
            Simulation simulation = new Simulation(seed);
            try {
                simulation.run();
            } catch (Throwable failure) {
                if (one != null) {
                    System.out.println(simulation.trace());
                }
                throw new AssertionError(
                        "Seed " + seed + " failed: repeat it with -Dboltwork.seed=" + seed + "\n"
                                + failure.getMessage(),
                        failure);
            }
            holds += simulation.holds;
            losses += simulation.losses;
            handovers += simulation.handovers;
            failures += simulation.failures;
        }
        System.out.printf(
                "simulation: %d seeds, %d holds, %d of them handed over, %d lost, %d requests failed%n",
                one == null ? SEEDS : 1, holds, handovers, losses, failures);
        if (one == null) {
            assertThat(handovers).as("handovers").isPositive();
            assertThat(losses).as("losses").isPositive();
            assertThat(failures).as("failures").isPositive();
        }
    }
}
