// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.ServerTime;
import org.junit.jupiter.api.Test;

/** The rules of changes that are repeated at another server, one by one. */
class LatchRepeatsTest extends LatchScene {

    @Test
    void anotherServerGetsAnsweredChangesAgain() {
        change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.DONE, 7);
        now = 1_000;
        machine.disconnected();
        now = 20_000; // an outage does not count
        machine.connected(true);
        LatchCommand repeated = new LatchCommand.SetCount("latch", "a", 3, 7, 0, Long.MAX_VALUE);
        assertThat(sent).containsExactly(repeated);
        sent.clear();
        answer(repeated, LatchOutcome.UNKNOWN, 0);
        tickAt(20_500);
        assertThat(sent).containsExactly(repeated);
        sent.clear();
        answer(repeated, LatchOutcome.DONE, 7);
        tickAt(21_000);
        assertThat(sent).isEmpty();
    }

    @Test
    void eachServerGetsAnUnansweredRepetitionOnce() {
        change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.DONE, 7);
        machine.connected(true);
        sent.clear();
        machine.connected(true);
        assertThat(sent).hasSize(1);
    }

    @Test
    void aRefusedRepetitionIsGivenUp() {
        change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.DONE, 7);
        change(LatchChange.countDown("b"));
        answer(command(), LatchOutcome.DONE, 7);
        machine.connected(true);
        assertThat(sent).hasSize(2);
        answer(sent.remove(0), LatchOutcome.REFUSED, 8);
        LatchCommand other = command();
        machine.connected(true);
        assertThat(sent).containsExactly(other);
    }

    @Test
    void noServerGetsAChangeThatEachHasByNow() {
        change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.DONE, 7);
        now = 10_000;
        machine.connected(true);
        assertThat(sent).isEmpty();
    }

    @Test
    void theSameServerGetsNoAnsweredChangeAgain() {
        change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.DONE, 7);
        machine.disconnected();
        machine.connected(false);
        assertThat(sent).isEmpty();
    }

    @Test
    void aCountThatFoundZeroIsRepeatedWhileTheServerMayBeBehind() {
        LatchCommand doubtful = doubtful();
        assertThat(wakesAt()).isEqualTo(500);
        tickAt(500);
        assertThat(wakesAt()).isEqualTo(1_000);
        assertThat(sent).containsExactly(doubtful);
        answer(doubtful, LatchOutcome.DONE, 7);
        sent.clear();
        tickAt(1_000);
        assertThat(sent).as("it is the generation of before").containsExactly(doubtful);
        answer(doubtful, LatchOutcome.DONE, 8);
        sent.clear();
        tickAt(1_500);
        assertThat(sent).isEmpty();
        machine.connected(true);
        assertThat(sent)
                .containsExactly(
                        new LatchCommand.CountDown("latch", "a", 7, 7, Long.MAX_VALUE),
                        new LatchCommand.CountDown("latch", "a", 8, 8, Long.MAX_VALUE));
    }

    @Test
    void aDoubtEndsWithTheTimeInWhichTheServerMayBeBehind() {
        doubtful();
        tickAt(9_500);
        assertThat(sent).hasSize(1);
        sent.clear();
        tickAt(10_000);
        assertThat(machine.isIdle()).isTrue();
        machine.connected(true);
        assertThat(sent).isEmpty();
    }

    /** Counts down at a server that may be behind, which answers zero. Returns the repetition. */
    private LatchCommand doubtful() {
        machine.takenOver(0);
        LatchChange down = change(LatchChange.countDown("a"));
        machine.answered(command(), new Reply.Latched(new ServerTime(AHEAD, "run"), LatchOutcome.DONE, 0, 7, 0));
        outcome(down, LatchOutcome.DONE);
        return new LatchCommand.CountDown("latch", "a", 0, AHEAD * 1_000, Long.MAX_VALUE);
    }

    @Test
    void aClosedClientRepeatsNothing() {
        doubtful();
        machine.close();
        assertThat(machine.isIdle()).isTrue();
        machine.connected(true);
        assertThat(sent).isEmpty();
    }
}
