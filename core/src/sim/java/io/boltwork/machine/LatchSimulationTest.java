// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import org.junit.jupiter.api.Test;

/**
 * Tests latches on a bad network, with servers that forget and are replaced. One seed is one run, see
 * {@link LatchWorld}.
 */
class LatchSimulationTest {

    private static final int SEEDS = Integer.getInteger("boltwork.seeds", 500);
    private static final long FIRST = Long.getLong("boltwork.firstSeed", 1);

    @Test
    void latchesSurviveABadNetworkAndServersThatForget() {
        Long one = Long.getLong("boltwork.seed");
        for (long seed = one == null ? FIRST : one; seed < (one == null ? FIRST + SEEDS : one + 1); seed++) {
            new LatchWorld(seed).run();
        }
    }

    @Test
    void aCountThatOvertakesTheSettingThatAServerHasLostIsNotLost() {
        for (long seed = 1; seed <= 20; seed++) {
            new LatchWorld(seed).aCountComesBeforeTheSettingThatWasLost(true);
            new LatchWorld(seed).aCountComesBeforeTheSettingThatWasLost(false);
        }
    }
}
