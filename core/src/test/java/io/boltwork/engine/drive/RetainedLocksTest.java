// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetainedLocksTest {
    private static final int MOST = 3;

    private final RetainedLocks locks = new RetainedLocks(MOST);
    private final List<String> givenBack = new ArrayList<>();

    /** A lock that is used or not. */
    private final class Lock implements RetainedLocks.Retained {
        private final String name;
        private boolean isUsedLately;

        Lock(String name) {
            this.name = name;
            locks.add(this);
        }

        @Override
        public void giveBackUnlessUsed() {
            if (isUsedLately) {
                isUsedLately = false;
                locks.keep(this);
            } else {
                givenBack.add(name);
            }
        }
    }

    @Test
    void asManyAsAllowedAreKept() {
        for (int i = 0; i < MOST; i++) {
            new Lock("lock " + i);
        }
        assertThat(givenBack).isEmpty();
    }

    @Test
    void theLockThatWasRetainedFirstIsGivenBack() {
        for (int i = 0; i < MOST + 2; i++) {
            new Lock("lock " + i);
        }
        assertThat(givenBack).containsExactly("lock 0", "lock 1");
    }

    @Test
    void aLockThatWasUsedLatelyGetsASecondChance() {
        Lock used = new Lock("used");
        new Lock("unused");
        used.isUsedLately = true;
        new Lock("third");
        new Lock("fourth");
        assertThat(givenBack).containsExactly("unused");
        new Lock("fifth");
        assertThat(givenBack).containsExactly("unused", "third");
        new Lock("sixth");
        new Lock("seventh");
        assertThat(givenBack).as("it had one chance").contains("used");
    }

    @Test
    void theNumberFallsAgainIfAllWereUsed() {
        List<Lock> used = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            used.add(new Lock("lock " + i));
        }
        used.forEach(lock -> lock.isUsedLately = true);
        for (int i = 0; i < 2 * MOST; i++) {
            new Lock("more " + i);
        }
        assertThat(givenBack).hasSize(2 * MOST);
    }
}
