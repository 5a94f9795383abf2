// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Stages 9 and 10: several Redis servers. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ManyServersTrapsTest {
    @Test
    void aFailoverForgetsTheLock() {
        assertThat(play("failover").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("failover")).containsExactly("- | -", "A | -", "dead | -", "dead | -", "dead | B");
    }

    @Test
    void aServerThatRestartsVotesTwice() {
        assertThat(play("votes-twice").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("votes-twice")).containsExactly("A A A - -", "A A - - -", "A A B B B");
    }

    @Test
    void aVoteIsLostIfThePowerFailsBeforeFsync() {
        assertThat(play("power-failure").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("power-failure")).containsExactly("- - - - -", "A A A - -", "A A - - -", "A A B B B");
    }

    @Test
    void aPauseOutlivesTheCheckOfTheValidity() {
        assertThat(play("long-pause").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("long-pause")).endsWith("B B B B B, row: B", "B B B B B, row: A");
    }
}
