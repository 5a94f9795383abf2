// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.PlayedTraps.play;
import static io.boltwork.examples.handmade.PlayedTraps.states;
import static io.boltwork.examples.handmade.PlayedTraps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Stages 11 and 12: a database, and ZooKeeper. */
class OtherStoreTrapsTest {
    @Test
    void theLoserOfAVersionColumnWorksTwice() {
        assertThat(play("version-column").verdict()).isEqualTo(TrapVerdict.DONE_TWICE);
        assertThat(states("version-column")).last().isEqualTo("items: 9, version: 2");
    }

    @Test
    void aHolderThatStopsKeepsItsRow() {
        assertThat(play("stalled-row-lock").verdict()).isEqualTo(TrapVerdict.HELD_TOO_LONG);
        assertThat(texts("stalled-row-lock")).last().asString().contains("lock timeout");
    }

    @Test
    void anEndedSessionGivesTheRowToAnother() {
        assertThat(play("ended-session").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
    }

    @Test
    void aSessionThatExpiresLetsTwoIn() {
        assertThat(play("session-expires").verdict()).isEqualTo(TrapVerdict.TWO_INSIDE);
        assertThat(states("session-expires"))
                .startsWith("nodes: A", "nodes: A, B")
                .endsWith("nodes: B");
    }
}
