// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Stages 7 and 8: clients that wait. */
class WaitingTrapsTest {
    @Test
    void aLostMessageLetsAClientWaitForEver() {
        assertThat(play("lost-message").verdict()).isEqualTo(TrapVerdict.WAITS_FOR_EVER);
        assertThat(states("lost-message")).endsWith("lock: free", "lock: free", "lock: free");
    }

    @Test
    void deadWaitersStallTheOthers() {
        assertThat(play("dead-waiter").verdict()).isEqualTo(TrapVerdict.STALLED);
        assertThat(states("dead-waiter"))
                .contains("lock: free, queue: [C, D, B]")
                .endsWith("lock: B, queue: []");
    }
}
