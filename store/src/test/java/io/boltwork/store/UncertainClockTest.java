// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.store.UncertainClockWorld.Mistake;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock has one owner although its clients know the store's time only roughly, and the store gets other clocks. */
class UncertainClockTest {
    private static final int ACTIONS = 200;

    @Test
    void lockHasOneOwner() {
        long seeds = Long.getLong("boltwork.seeds", 500) / 4;
        int granted = 0;
        for (long seed = 1; seed <= seeds; seed++) {
            UncertainClockWorld world = new UncertainClockWorld(seed, Mistake.NONE);
            try {
                world.run(ACTIONS);
            } catch (AssertionError found) {
                throw new AssertionError("seed " + seed, found);
            }
            granted += world.granted;
        }
        assertThat(granted).as("grants and renewals").isGreaterThan((int) Math.min(seeds, 100_000) * 10);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void eachRuleIsNeeded(Mistake mistake) {
        for (long seed = 1; seed <= 5_000; seed++) {
            try {
                new UncertainClockWorld(seed, mistake).run(ACTIONS);
            } catch (AssertionError found) {
                return;
            }
        }
        throw new AssertionError(mistake + " was not found");
    }
}
