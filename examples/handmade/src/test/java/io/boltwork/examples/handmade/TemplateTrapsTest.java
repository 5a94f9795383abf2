// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static io.boltwork.examples.handmade.PlayedTraps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Stage 6: the reentrant lock on Spring's template. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class TemplateTrapsTest {
    @Test
    void equalOwnersOfTwoJvmsAreBothInside() {
        assertThat(play("owner-of-two-jvms").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("owner-of-two-jvms")).containsExactly("lock: {uuid:1=1}", "lock: {uuid:1=2}");
    }

    @Test
    void anOwnerOfTheObjectLetsAllThreadsIn() {
        assertThat(play("owner-of-two-threads").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("owner-of-two-threads")).containsExactly("lock: count 1", "lock: count 2");
    }

    @Test
    void aTimeToWaitOfZeroBecomesALeaseOfZero() {
        assertThat(play("wait-as-lease").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("wait-as-lease")).containsOnly("lock: free");
    }

    @Test
    void lockInterruptiblyReturnsWithoutTheLock() {
        assertThat(play("interruptibly").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("interruptibly")).containsOnly("lock: count 1");
    }

    @Test
    void newConditionFailsUnderTheLock() {
        assertThat(play("condition").verdict()).isEqualTo(TrapVerdict.EXCEPTION);
        assertThat(texts("condition")).last().asString().endsWith("NullPointerException");
    }

    @Test
    void eachRenewalLeavesAThreadBehind() {
        assertThat(play("timers").verdict()).isEqualTo(TrapVerdict.THREADS_LEAK);
        assertThat(states("timers")).last().isEqualTo("lock: free");
    }
}
