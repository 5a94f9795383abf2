// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs many seeds of a simulated quorum ({@code -Dboltwork.quorumSeeds=N}, from {@code -Dboltwork.firstSeed}). With one
 * seed, a failure prints what happened.
 */
@ExtendWith(Quiet.class)
class QuorumSimulationTest {

    private static final long FIRST = Long.getLong("boltwork.firstSeed", 0);
    private static final long SEEDS =
            Long.getLong("boltwork.quorumSeeds", Boolean.getBoolean("boltwork.whole") ? 75 : 30);

    @Test
    void noTwoHoldersOfAQuorumAreValidAndTokensGrow() {
        int overlaps = run(false);
        assertThat(overlaps).isZero();
    }

    @Test
    void tokensGrowEvenIfClocksDriftBeyondTheBound() {
        int overlaps = run(true);
        assertThat(overlaps)
                .as("two valid holders, which clocks like these cause")
                .isPositive();
    }

    private static int run(boolean isBeyond) {
        long start = System.nanoTime();
        int holds = 0;
        int refused = 0;
        int overlaps = 0;
        int failures = 0;
        int faults = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            QuorumSimulation simulation = new QuorumSimulation(seed, isBeyond, SEEDS == 1);
            try {
                simulation.run();
            } catch (AssertionError violation) {
                System.out.print(SEEDS == 1 ? simulation.timeline : "");
                throw new AssertionError("-Dboltwork.firstSeed=" + seed + ": " + violation.getMessage(), violation);
            }
            holds += simulation.holds;
            refused += simulation.refusedWrites;
            overlaps += simulation.overlaps;
            failures += simulation.failures;
            faults += simulation.faults;
        }
        System.out.printf(
                Locale.ROOT,
                "quorum, clocks %s the bound: %,d runs in %.0f s: %,d holds, %,d late writes refused, %,d moments"
                        + " with two valid holders, %,d requests failed, %,d faults%n",
                isBeyond ? "beyond" : "within",
                SEEDS,
                (System.nanoTime() - start) / 1e9,
                holds,
                refused,
                overlaps,
                failures,
                faults);
        assertThat(holds).isPositive();
        return overlaps;
    }
}
