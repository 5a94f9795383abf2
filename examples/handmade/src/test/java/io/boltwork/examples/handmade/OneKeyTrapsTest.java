// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static io.boltwork.examples.handmade.PlayedTraps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Stages 1 to 5: one key, one value. */
class OneKeyTrapsTest {
    @Test
    void aCrashBeforeExpireHoldsForEver() {
        assertThat(play("crash-before-expire").verdict()).isEqualTo(TrapVerdict.HELD_FOR_EVER);
        assertThat(states("crash-before-expire")).containsOnly("lock: A, no expiry");
    }

    @Test
    void plainDelFreesTheLockOfAnotherOwner() {
        assertThat(play("plain-del").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("plain-del")).containsExactly("lock: A", "lock: free", "lock: B", "lock: free", "lock: C");
    }

    @Test
    void theLeaseMayEndBetweenGetAndDel() {
        assertThat(play("get-compare-del").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("get-compare-del"))
                .containsExactly("lock: A", "lock: A", "lock: free", "lock: B", "lock: free", "lock: C");
    }

    @Test
    void aLeaseThatEndsDuringTheWorkLetsTwoIn() {
        assertThat(play("lease-ends").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("lease-ends")).last().isEqualTo("lock: B, stock: 9");
        assertThat(texts("lease-ends")).filteredOn("sells one"::equals).hasSize(2);
    }

    @Test
    void delOfAnotherKeyFreesNothing() {
        assertThat(play("slip-key").verdict()).isEqualTo(TrapVerdict.HELD_BY_NO_CLIENT);
        assertThat(states("slip-key")).containsOnly("lock:stock: A");
    }

    @Test
    void aTextIsNeverEqualToALong() {
        assertThat(play("slip-type").verdict()).isEqualTo(TrapVerdict.HELD_BY_NO_CLIENT);
        assertThat(texts("slip-type")).containsOnly("tryLock: false, gives up");
    }

    @Test
    void millisecondsInExLastForHours() {
        assertThat(play("slip-unit").verdict()).isEqualTo(TrapVerdict.HELD_TOO_LONG);
        assertThat(states("slip-unit")).containsOnly("lock: A, expires in 500 min");
    }

    @Test
    void aFastClockTakesAValidLock() {
        assertThat(play("clock-skew").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("clock-skew")).containsExactly("lock: 130000", "lock: 170000");
    }

    @Test
    void getsetOfARefusedClientOverwritesTheExpiry() {
        assertThat(play("getset-overwrites").verdict()).isEqualTo(TrapVerdict.HELD_BY_NO_CLIENT);
        assertThat(states("getset-overwrites"))
                .endsWith("lock: 130000", "lock: 131000", "lock: 131000", "lock: 131000");
    }
}
