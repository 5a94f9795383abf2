// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.engine.drive.PermitLanes;
import io.boltwork.engine.drive.PooledCallers;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import org.junit.jupiter.api.Test;

/** Tests of repairs after an error has cut short a step of a semaphore's pool. */
class PoolRepairTest {
    private static final LockTerms TERMS = LockTerms.of(LockOptions.defaults(), 1);

    private final PermitLanes lanes = new PermitLanes();
    private final PooledCallers callers = new PooledCallers();

    @Test
    void aLaneThatNeverGetsItsWaiterWantsNothingAfterTwoRepairs() {
        lanes.take(() -> "lost");
        lanes.mend();
        assertThat(lanes.wanting()).isEqualTo(1); // its waiter may be on the way
        lanes.take(() -> "late");
        lanes.mend();
        assertThat(lanes.wants("lost")).isFalse();
        assertThat(lanes.wants("late")).isTrue();
        lanes.assigned("late");
        lanes.mend();
        assertThat(lanes.wanting()).isEqualTo(1);
        lanes.left("late");
        assertThat(lanes.isUnused()).isTrue();
    }

    @Test
    void aLaneThatGetsItsWaiterAfterTheRepairsIsCountedOnce() {
        lanes.take(() -> "slow");
        lanes.mend();
        lanes.mend();
        lanes.joined("slow");
        lanes.assigned("slow");
        assertThat(lanes.wanting()).isEqualTo(1);
        lanes.settled("slow", 2, false);
        assertThat(lanes.held()).isEqualTo(2);
        assertThat(lanes.wanting()).isZero();
        lanes.settled("slow", 0, false);
        assertThat(lanes.held()).isZero();
        assertThat(lanes.take(() -> "other")).isEqualTo("slow");
    }

    @Test
    void callersThatWereCutShortAreForgotten() {
        Waiter cut = Waiter.ofHandle(TERMS, false);
        Waiter next = Waiter.ofHandle(TERMS, false);
        callers.add(cut);
        callers.add(next);
        cut.forsaken = true;
        callers.mend(lane -> true);
        assertThat(callers.first()).isSameAs(next);
        next.forsaken = true;
        callers.mend(lane -> true);
        assertThat(callers.isEmpty()).isTrue();
    }

    @Test
    void aStandInOfALaneThatWantsNothingIsForgottenAfterTwoRepairs() {
        Waiter caller = Waiter.ofHandle(TERMS, false);
        callers.add(caller);
        Waiter standIn = callers.standIn(caller, "idle");
        assertThat(callers.unrepresented()).isNull();
        callers.mend(lane -> false);
        assertThat(callers.unrepresented()).isNull(); // the lane may be about to want a part
        callers.mend(lane -> true);
        callers.mend(lane -> false);
        assertThat(callers.unrepresented()).isNull();
        assertThat(standIn.forsaken).isFalse();
        callers.mend(lane -> false);
        assertThat(callers.unrepresented()).isSameAs(caller);
        assertThat(standIn.forsaken).isTrue(); // so that a grant that comes for it nevertheless serves the caller
    }
}
