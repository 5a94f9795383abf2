// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply.LatchOutcome;
import org.junit.jupiter.api.Test;

/** The rules of a latch in one client, one by one. */
class LatchMachineTest extends LatchScene {

    // ================================================================ waiters

    @Test
    void anOpenLatchEndsTheWait() {
        LatchWaiter waiter = await();
        assertThat(wakesAt()).isEqualTo(TIMEOUT);
        answer(question(0), LatchOutcome.OPEN, 0);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
        assertThat(machine.wakeAt()).isEqualTo(Ticker.NEVER);
        assertThat(machine.isIdle()).isTrue();
    }

    @Test
    void aClosedLatchIsAskedAgainAfterFiveSeconds() {
        LatchWaiter waiter = closed(7);
        assertThat(wakesAt()).isEqualTo(5_000);
        tickAt(4_999);
        assertThat(sent).isEmpty();
        tickAt(5_000);
        answer(question(7), LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
    }

    @Test
    void theMessageOfItsGenerationEndsAWait() {
        LatchWaiter waiter = closed(7);
        open(6);
        assertThat(waiter.outcome.isDecided()).isFalse();
        assertThat(question(7)).as("its own message may be lost").isNotNull();
        open(7);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
        assertThat(sent).as("nobody waits for another generation").isEmpty();
    }

    @Test
    void nothingIsAskedWhenTheLastWaitHasEnded() {
        closed(7);
        open(7);
        assertThat(machine.wakeAt()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void aLatchThatWasNeverSetIsOpenedByALaterGeneration() {
        LatchWaiter waiter = closed(0);
        open(AHEAD * 1_000 - 1);
        assertThat(waiter.outcome.isDecided()).isFalse();
        open(AHEAD * 1_000);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
    }

    @Test
    void aMessageMayOvertakeTheAnswer() {
        LatchWaiter waiter = await();
        LatchCommand question = question(0);
        open(7);
        assertThat(waiter.outcome.isDecided()).isFalse();
        assertThat(sent).as("it is not answered yet").isEmpty();
        answer(question, LatchOutcome.CLOSED, 7);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
    }

    @Test
    void theLast32MessagesAreRemembered() {
        for (int generation = 1; generation <= 33; generation++) {
            open(generation);
        }
        assertThat(closed(2).outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
        assertThat(closed(33).outcome.value()).isEqualTo(LatchWaiter.Ended.OPEN);
        assertThat(closed(1).outcome.isDecided()).isFalse();
    }

    @Test
    void aTryTakesTheFirstAnswer() {
        LatchWaiter waiter = new LatchWaiter(true);
        machine.await(waiter);
        answer(question(0), LatchOutcome.CLOSED, 7);
        assertThat(waiter.outcome.value()).isEqualTo(LatchWaiter.Ended.GIVEN_UP);
    }

    @Test
    void thoseWhoComeMeanwhileShareTheNextQuestion() {
        LatchWaiter first = await();
        LatchCommand asked = question(0);
        LatchWaiter second = await();
        LatchWaiter third = await();
        assertThat(sent).isEmpty();
        answer(asked, LatchOutcome.OPEN, 7);
        assertThat(first.outcome.isDecided()).isTrue();
        assertThat(second.outcome.isDecided())
                .as("it was asked before the wait began")
                .isFalse();
        answer(question(0), LatchOutcome.OPEN, 8);
        assertThat(second.outcome.isDecided()).isTrue();
        assertThat(third.outcome.isDecided()).isTrue();
        assertThat(sent).isEmpty();
    }

    @Test
    void nothingMoreIsAskedIfThoseWhoCameMeanwhileHaveLeft() {
        await();
        LatchCommand asked = question(0);
        machine.giveUp(await(), false);
        answer(asked, LatchOutcome.CLOSED, 7);
        assertThat(sent).isEmpty();
    }

    @Test
    void nothingMoreIsAskedForAnAnsweredWaiterOfTheFirstGeneration() {
        await();
        LatchCommand asked = question(0);
        machine.giveUp(await(), false);
        answer(asked, LatchOutcome.CLOSED, 0);
        assertThat(sent).isEmpty();
    }

    @Test
    void aQuestionAboutAGenerationDoesNotDelayOthers() {
        closed(7);
        tickAt(5_000);
        LatchCommand poll = question(7);
        LatchWaiter waiter = await();
        LatchCommand asked = question(0);
        LatchWaiter another = await();
        answer(poll, LatchOutcome.CLOSED, 7);
        assertThat(sent)
                .as("the question without a generation is still under way")
                .isEmpty();
        answer(asked, LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.isDecided()).isTrue();
        answer(question(0), LatchOutcome.OPEN, 7);
        assertThat(another.outcome.isDecided()).isTrue();
    }

    @Test
    void whoGivesUpIsToldWhetherTheServerAnswered() {
        LatchWaiter unanswered = await();
        LatchWaiter cancelled = await();
        LatchCommand asked = question(0);
        machine.giveUp(cancelled, false);
        assertThat(cancelled.outcome.value()).isEqualTo(LatchWaiter.Ended.GIVEN_UP);
        assertThat(sent).as("another caller waits").isEmpty();
        machine.giveUp(unanswered, true);
        failure(unanswered).hasMessageContaining("gave no answer about the latch 'latch' within the time");
        assertThat(sent).containsExactly(new LatchCommand.Await("latch", "client", 0, false));
        sent.clear();
        answer(asked, LatchOutcome.OPEN, 7);

        LatchWaiter answered = closed(8);
        machine.giveUp(answered, true);
        assertThat(answered.outcome.value()).isEqualTo(LatchWaiter.Ended.GIVEN_UP);
        assertThat(machine.wakeAt()).isEqualTo(Ticker.NEVER);
        sent.clear();
        machine.giveUp(answered, true);
        assertThat(sent).as("it has ended before").isEmpty();
    }

    @Test
    void anUnknownGenerationIsForgottenAfterTenSeconds() {
        LatchWaiter waiter = closed(7);
        tickAt(5_000);
        answer(question(7), LatchOutcome.UNKNOWN, 0);
        assertThat(wakesAt()).isEqualTo(5_500);
        tickAt(14_499);
        answer(question(7), LatchOutcome.UNKNOWN, 0);
        assertThat(waiter.outcome.isDecided()).isFalse();
        tickAt(14_999);
        now = 15_000;
        answer(question(7), LatchOutcome.UNKNOWN, 0);
        failure(waiter)
                .hasMessageContaining("has forgotten the count of the latch 'latch'")
                .matches(failure -> !((BackendException) failure).isRetryable());
    }

    @Test
    void aGenerationThatIsKnownAgainIsNotForgotten() {
        LatchWaiter waiter = closed(7);
        tickAt(5_000);
        answer(question(7), LatchOutcome.UNKNOWN, 0);
        tickAt(5_500);
        answer(question(7), LatchOutcome.CLOSED, 7);
        tickAt(20_000);
        answer(question(7), LatchOutcome.UNKNOWN, 0);
        assertThat(waiter.outcome.isDecided()).isFalse();
    }

    // ================================================================ failures of questions

    @Test
    void anUnansweredQuestionIsAskedAgain() {
        now = 1_000;
        LatchWaiter waiter = await();
        LatchCommand lost = question(0);
        tickAt(1_000 + TIMEOUT - 1);
        assertThat(sent).isEmpty();
        tickAt(1_000 + TIMEOUT);
        LatchCommand again = question(0);
        answer(lost, LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.isDecided())
                .as("another question has taken its place")
                .isFalse();
        answer(again, LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.isDecided()).isTrue();
    }

    @Test
    void waitersFailWhenTheOutagePatienceEnds() {
        LatchWaiter waiter = await();
        tickAt(TIMEOUT);
        LatchWaiter later = await();
        tickAt(PATIENCE - 1);
        assertThat(waiter.outcome.isDecided()).isFalse();
        tickAt(PATIENCE);
        failure(waiter)
                .hasMessageContaining("for the client's outage patience")
                .hasMessageEndingWith("or the network down?")
                .matches(failure -> ((BackendException) failure).isRetryable());
        failure(later).hasMessageContaining("'latch'");
        assertThat(machine.isIdle()).isTrue();
        tickAt(PATIENCE + TIMEOUT);
        assertThat(machine.wakeAt()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void thePatienceOfTheNextWaiterBeginsAnew() {
        LatchWaiter first = await();
        fail(question(0), BRIEFLY);
        machine.giveUp(first, false);
        now = PATIENCE - 1;
        sent.clear();
        LatchWaiter next = await();
        tickAt(PATIENCE);
        assertThat(next.outcome.isDecided()).isFalse();
        tickAt(PATIENCE - 1 + TIMEOUT);
        assertThat(next.outcome.isDecided()).isFalse();
    }

    @Test
    void aFailedQuestionIsAskedAgainAfterAPause() {
        LatchWaiter waiter = await();
        LatchCommand asked = question(0);
        fail(asked, BRIEFLY);
        assertThat(wakesAt()).isEqualTo(PAUSE);
        tickAt(PAUSE);
        LatchCommand again = question(0);
        fail(asked, FOR_GOOD);
        assertThat(waiter.outcome.isDecided()).as("its failure is known").isFalse();
        fail(again, FOR_GOOD);
        failure(waiter).hasMessage("no right. The latch 'latch' was not changed by this call");
        assertThat(machine.wakeAt()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void aFailureIsNamedWhenTheCallerGivesUp() {
        LatchWaiter waiter = await();
        fail(question(0), BRIEFLY);
        machine.giveUp(waiter, true);
        failure(waiter).hasMessageEndingWith("no route").hasCause(BRIEFLY);
    }

    // ================================================================ changes

    @Test
    void anAnswerDecidesAChange() {
        LatchChange set = change(LatchChange.set("a", 3));
        assertThat(sent).containsExactly(new LatchCommand.SetCount("latch", "a", 3, 0, 0, AHEAD + TIMEOUT));
        assertThat(wakesAt()).isEqualTo(TIMEOUT);
        assertThat(machine.isIdle()).isFalse();
        answer(command(), LatchOutcome.REFUSED, 7);
        outcome(set, LatchOutcome.REFUSED);
        assertThat(machine.isIdle()).isTrue();

        LatchChange down = change(LatchChange.countDown("b"));
        assertThat(sent).containsExactly(new LatchCommand.CountDown("latch", "b", 0, Long.MAX_VALUE, AHEAD + TIMEOUT));
        answer(command(), LatchOutcome.DONE, 7);
        outcome(down, LatchOutcome.DONE);
        assertThat(machine.isIdle()).as("it may have to be repeated").isFalse();
        assertThat(wakesAt()).isEqualTo(10_000);
        tickAt(10_000);
        assertThat(machine.isIdle()).isTrue();
    }

    @Test
    void aChangeThatCameTooLateIsSentAgain() {
        LatchChange down = change(LatchChange.countDown("a"));
        LatchCommand late = command();
        now = 400;
        answer(late, LatchOutcome.STALE, 7);
        assertThat(sent)
                .as("not for a generation that began after the call")
                .containsExactly(new LatchCommand.CountDown(
                        "latch", "a", 0, (AHEAD + TIMEOUT + 1) * 1_000, AHEAD + 400 + TIMEOUT));
        tickAt(900);
        tickAt(PATIENCE - 1);
        assertThat(down.outcome.isDecided()).isFalse();
        tickAt(PATIENCE);
        failure(down).hasMessageContaining("for the client's outage patience");
    }

    @Test
    void anUnansweredChangeIsSentAgain() {
        now = 1_000;
        LatchChange set = change(LatchChange.set("a", 3));
        sent.clear();
        tickAt(1_000 + TIMEOUT);
        assertThat(sent).hasSize(1);
        tickAt(1_000 + 2 * TIMEOUT - 1);
        assertThat(sent).hasSize(1);
        tickAt(1_000 + 2 * TIMEOUT);
        assertThat(sent).hasSize(2);
        tickAt(1_000 + PATIENCE - 1);
        assertThat(set.outcome.isDecided()).isFalse();
        tickAt(1_000 + PATIENCE);
        failure(set).hasMessageContaining("for the client's outage patience");
    }

    @Test
    void aFailedChangeIsSentAgainAfterAPause() {
        LatchChange set = change(LatchChange.set("a", 3));
        now = 100;
        fail(command(), BRIEFLY);
        assertThat(wakesAt()).isEqualTo(100 + PAUSE);
        tickAt(99 + PAUSE);
        assertThat(sent).isEmpty();
        tickAt(100 + PAUSE);
        assertThat(sent).hasSize(1);
        tickAt(100 + PAUSE + TIMEOUT);
        tickAt(PATIENCE - 1);
        assertThat(set.outcome.isDecided()).isFalse();
        tickAt(PATIENCE);
        failure(set).hasMessageEndingWith("no route");
    }

    @Test
    void aRefusedChangeFails() {
        LatchChange set = change(LatchChange.set("a", 3));
        fail(command(), FOR_GOOD);
        failure(set).hasMessage("no right. The latch 'latch' was not changed by this call");
    }

    @Test
    void anAnswerEndsTheOutageOfAChange() {
        LatchChange set = change(LatchChange.set("a", 3));
        machine.takenOver(0);
        tickAt(TIMEOUT);
        sent.clear();
        tickAt(2 * TIMEOUT);
        answer(command(), LatchOutcome.UNKNOWN, 0);
        assertThat(wakesAt()).as("the setting before may be repeated").isEqualTo(2 * TIMEOUT + 500);
        tickAt(2 * TIMEOUT + 500);
        assertThat(sent).hasSize(1);
        assertThat(set.outcome.isDecided()).isFalse();
    }

    @Test
    void anUnknownGenerationDecidesAChangeOfAServerThatIsNotBehind() {
        machine.takenOver(0);
        now = 10_000;
        LatchChange set = change(LatchChange.set("a", 3));
        answer(command(), LatchOutcome.UNKNOWN, 0);
        outcome(set, LatchOutcome.UNKNOWN);
    }

    @Test
    void anEarlierCopyCountsOnlyIfItChangedSomething() {
        LatchChange set = change(LatchChange.set("a", 3));
        LatchCommand first = command();
        tickAt(TIMEOUT);
        LatchCommand second = command();
        answer(first, LatchOutcome.REFUSED, 7);
        assertThat(set.outcome.isDecided())
                .as("the second copy may have changed it since")
                .isFalse();
        answer(first, LatchOutcome.DONE, 8);
        outcome(set, LatchOutcome.DONE);
        answer(second, LatchOutcome.REFUSED, 9);
        outcome(set, LatchOutcome.DONE);
    }

    @Test
    void aRefusalCountsWhenNoEarlierCopyCanTakeEffect() {
        LatchChange set = change(LatchChange.set("a", 3));
        command();
        tickAt(TIMEOUT);
        answer(command(), LatchOutcome.REFUSED, 7);
        assertThat(set.outcome.isDecided())
                .as("the first copy may still take effect")
                .isFalse();
        assertThat(wakesAt()).isEqualTo(TIMEOUT + 1);
        tickAt(TIMEOUT + 1);
        answer(command(), LatchOutcome.REFUSED, 7);
        outcome(set, LatchOutcome.REFUSED);
    }

    @Test
    void theTimeUntilAnEarlierCopyEndsIsTheServers() {
        LatchChange set = change(LatchChange.set("a", 3));
        command();
        tickAt(TIMEOUT);
        now += 10;
        machine.answered(command(), reply(AHEAD + TIMEOUT - 40, LatchOutcome.REFUSED, 7));
        assertThat(wakesAt()).isEqualTo(TIMEOUT + 10 + 41);
        assertThat(set.outcome.isDecided()).isFalse();
    }

    // ================================================================ connections

    @Test
    void aNewConnectionSendsWhatIsUnanswered() {
        LatchWaiter waiter = await();
        LatchCommand lost = question(0);
        change(LatchChange.set("a", 3));
        sent.clear();
        now = 50;
        machine.disconnected();
        machine.connected(false);
        assertThat(sent)
                .containsExactly(
                        new LatchCommand.SetCount("latch", "a", 3, 0, 0, AHEAD + 50 + TIMEOUT),
                        new LatchCommand.Await("latch", "client", 0, true));
        LatchCommand again = sent.get(1);
        answer(lost, LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.isDecided()).isFalse();
        answer(again, LatchOutcome.OPEN, 7);
        assertThat(waiter.outcome.isDecided()).isTrue();
    }

    // ================================================================ ends

    @Test
    void aClosedClientDismissesAllCallers() {
        LatchWaiter waiter = await();
        LatchChange set = change(LatchChange.set("a", 3));
        sent.clear();
        LatchChange done = change(LatchChange.set("b", 3));
        answer(command(), LatchOutcome.DONE, 7);
        outcome(done, LatchOutcome.DONE);
        machine.close();
        failure(waiter).isInstanceOf(ClientClosedException.class).hasMessageContaining("'latch'");
        failure(set).isInstanceOf(ClientClosedException.class);
        assertThat(machine.isIdle()).as("nothing is kept to be repeated").isTrue();
        LatchWaiter late = await();
        failure(late).isInstanceOf(ClientClosedException.class);
        failure(change(LatchChange.set("c", 3))).isInstanceOf(ClientClosedException.class);
        assertThat(sent).isEmpty();
    }

    @Test
    void aBackendThatRefusesDismissesAllCallers() {
        LatchWaiter waiter = await();
        LatchChange set = change(LatchChange.set("a", 3));
        assertThat(machine.waiting()).isOne();
        machine.refuseAll(FOR_GOOD);
        failure(waiter).hasMessageStartingWith("no right").hasCause(FOR_GOOD);
        failure(set).hasMessageStartingWith("no right").hasCause(FOR_GOOD);
        assertThat(machine.waiting()).isZero();
        assertThat(machine.isIdle()).isTrue();
    }
}
