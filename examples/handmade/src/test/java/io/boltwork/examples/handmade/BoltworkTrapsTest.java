// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static io.boltwork.examples.handmade.PlayedTraps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Stage 13: Boltwork in the same traps. */
class BoltworkTrapsTest {
    @Test
    void theLockOfACrashedHolderIsFreeAfterItsLease() {
        assertThat(play("boltwork-crash").verdict()).isEqualTo(TrapVerdict.PASSED);
    }

    @Test
    void unlockOfAnotherClientIsRefused() {
        assertThat(play("boltwork-unlock").verdict()).isEqualTo(TrapVerdict.PASSED);
        assertThat(states("boltwork-unlock")).containsOnly("lock: A");
    }

    @Test
    void aLateHolderIsToldAndItsTokenIsRefused() {
        assertThat(play("boltwork-lease-ends").verdict()).isEqualTo(TrapVerdict.TOLD);
        assertThat(texts("boltwork-lease-ends"))
                .endsWith("writes A with its token: StaleTokenException", "release: lost, EXPIRED");
    }

    @Test
    void eachThreadOfEachClientIsAnOwner() {
        assertThat(play("boltwork-owners").verdict()).isEqualTo(TrapVerdict.PASSED);
    }

    @Test
    void allFormsOfLockDoWhatLockSays() {
        assertThat(play("boltwork-forms").verdict()).isEqualTo(TrapVerdict.PASSED);
    }

    @Test
    void aClientThatWasAwayGetsTheLockAfterAll() {
        assertThat(play("boltwork-lost-message").verdict()).isEqualTo(TrapVerdict.PASSED);
        assertThat(states("boltwork-lost-message")).last().isEqualTo("lock: B");
    }

    @Test
    void aDeadWaiterIsPassedOver() {
        assertThat(play("boltwork-dead-waiter").verdict()).isEqualTo(TrapVerdict.PASSED);
    }

    @Test
    void aHolderForgottenInAFailoverIsTold() {
        assertThat(play("boltwork-failover").verdict()).isEqualTo(TrapVerdict.TOLD);
        assertThat(texts("boltwork-failover")).last().asString().endsWith("TAKEN");
    }

    @Test
    void aHolderThatStopsKeepsNoRowAndIsTold() {
        assertThat(play("boltwork-stopped-holder").verdict()).isEqualTo(TrapVerdict.TOLD);
        assertThat(texts("boltwork-stopped-holder")).last().asString().endsWith("lost, EXPIRED");
    }

    @Test
    void aLeaseOutlivesTheSessionOfItsHolder() {
        assertThat(play("boltwork-session-ends").verdict()).isEqualTo(TrapVerdict.PASSED);
    }

    @Test
    void aServerThatRestartsDoesNotVoteTwice() {
        assertThat(play("boltwork-restart").verdict()).isEqualTo(TrapVerdict.PASSED);
    }
}
