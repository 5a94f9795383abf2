// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for waiters: when they ask, what an outage means, how their waits end. */
class WaitingRulesTest extends EngineScene {

    private CompletableFuture<Optional<Lease>> tries(long wait) {
        return client.lock(TEN).tryAcquireAsync(Duration.ofMillis(wait)).toCompletableFuture();
    }

    private Acquired queued(long remaining, int position, boolean known) {
        return new Acquired(time(), Verdict.QUEUED, 0, remaining, position, known, "other:1");
    }

    private Command.Acquire first() {
        return sent(Command.Acquire.class).get(0);
    }

    // ---- trying

    @Test
    void aTryIsRefusedLocallyIfTheLockIsHeldOrWanted() {
        Lease lease = wish(TEN).join();
        forget();
        assertThat(tries(0).join()).as("held").isEmpty();
        lease.release();
        isSilent();
        wish(TEN);
        forget();
        assertThat(tries(0).join()).as("wanted").isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void aTryIsRefusedLocallyIfAWaiterIsInTheQueue() {
        isSilent();
        wish(FIFO);
        forget();
        assertThat(tries(0).join()).isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void aWaitThatWasNeverAnsweredEndsAsUnknown() {
        isSilent();
        CompletableFuture<?> wish = tries(1_000);
        pass(1_000);
        assertThat(wish).isCompletedExceptionally();
        assertThat(wish.handle((value, thrown) -> thrown).join()).isInstanceOf(BackendException.class);
    }

    @Test
    void aTryFailsWithTheFirstFailure() {
        fails(false, BROKEN);
        assertThat(tries(0)).isCompletedExceptionally();
        assertThat(withdrawn())
                .as("withdrawals of a request that never arrived")
                .isEmpty();
    }

    @Test
    void aTryThatIsToldToAskAgainIsRepeatedNotRefused() {
        answers(command -> sent.size() < 4 ? again(false) : client.execute(command));
        assertThat(tries(0).join()).isPresent();
        assertThat(asked()).hasSize(4);
    }

    @Test
    void aWaiterThatIsToldToAskAgainAsksAtOnce() {
        holdElsewhere(60_000);
        answers(command -> sent.size() < 3 ? again(true) : client.execute(command));
        wish(FIFO);
        assertThat(asked()).hasSize(3);
        freeElsewhere();
    }

    @Test
    void anUnwantedRequestThatIsToldToAskAgainIsWithdrawn() {
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<?> wish = wish(TEN);
        Command.Acquire acquire = first();
        wish.cancel(true);
        forget();
        answered(acquire, now(), again(true));
        assertThat(withdrawn()).containsExactly(acquire.request());
    }

    private Acquired again(boolean known) {
        return new Acquired(time(), Verdict.AGAIN, 0, 0, 1, known, null);
    }

    @Test
    void aReleaseThatIsToldToAskAgainIsFollowedByANudgeAtOnce() {
        Lease lease = wish(TEN).join();
        answers(Command.Release.class, new Reply.Released(time(), Reply.Release.RELEASED, null, Reply.AGAIN, null));
        forget();
        lease.release();
        assertThat(withdrawn().get(0)).as("a nudge").isNull();
        Command.Withdraw nudge = sent(Command.Withdraw.class).get(0);
        forget();
        answered(nudge, now(), new Reply.Withdrawn(time(), false, Reply.AGAIN, null));
        assertThat(withdrawn().get(0)).as("another one").isNull();
    }

    @Test
    void aShortClaimIsConfirmedAtOnce() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        String request = first().request();
        isSilentAbout(Command.Renew.class);
        forget();
        Grant grant = new Grant("lock", request, 7_000_000_000_000_000L, 300, time());
        happens(machine -> machine.granted(grant));
        granted(wish);
        assertThat(sent(Command.Renew.class)).hasSize(1);
    }

    // ---- polling

    @Test
    void theFirstWaiterAsksWhenTheReportedLeaseEnds() {
        holdElsewhere(500);
        wish(TEN);
        forget();
        pass(499);
        assertThat(asked()).isEmpty();
        pass(2);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(501L);
    }

    @Test
    void questionsAreStaggeredByPlaceInTheQueue() {
        isSilent();
        wish(TEN);
        Command.Acquire acquire = first();
        forget();
        answered(acquire, 0, queued(500, 3, false));
        pass(600);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(505L);
    }

    @Test
    void questionsAreStaggeredByAHundredPlacesAtMost() {
        isSilent();
        wish(TEN);
        Command.Acquire acquire = first();
        forget();
        answered(acquire, 0, queued(500, 5_000, false));
        pass(1_000);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(701L);
    }

    @Test
    void aWaiterAsksAgainAfterTheSafetyPoll() {
        holdElsewhere(60_000);
        wish(TEN);
        forget();
        pass(10_500);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(5_000L, 10_000L);
    }

    @Test
    void waitersAskAgainWhenAConnectionIsReplaced() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        pass(100);
        forget();
        happens(machine -> machine.connected(new RecoveryTally()));
        assertThat(asked()).containsExactly("c:1", "c:2");
    }

    @Test
    void theOldestPollsForAllAndItsAnswerCounts() {
        isSilent();
        wish(FIFO);
        wish(FIFO);
        Command.Acquire oldest = first();
        Command.Acquire second = sent(Command.Acquire.class).get(1);
        answered(oldest, 0, queued(600, 1, false));
        answered(second, 0, queued(300, 2, false));
        forget();
        pass(100);
        answered(oldest, 0, queued(400, 1, true));
        pass(600);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(501L);
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void theOldestPollsAtTheEarliestReportedEnd() {
        isSilent();
        wish(FIFO);
        wish(FIFO);
        Command.Acquire oldest = first();
        Command.Acquire second = sent(Command.Acquire.class).get(1);
        answered(oldest, 0, queued(600, 1, false));
        answered(second, 0, queued(297, 2, false));
        forget();
        pass(700);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(300L);
    }

    @Test
    void theNextAsksAtOnceIfTheOldestGivesUpWhileAsking() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> oldest = wish(FIFO);
        wish(FIFO);
        isSilent();
        pass(5_000);
        forget();
        oldest.cancel(false);
        pass(1);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void theNextPollsWhenTheOldestThatGaveUpWasDue() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> oldest = wish(FIFO);
        wish(FIFO);
        pass(1_000);
        forget();
        oldest.cancel(false);
        pass(5_000);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(5_000L);
        assertThat(look().queue()).hasSize(1);
    }

    @Test
    void theNextPollsInPlaceOfAServedOldest() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        isSilentAbout(Command.Acquire.class);
        pass(5_000);
        forget();
        stall(500);
        freeElsewhere();
        assertThat(client.engine.drivers.hold("lock").request.id()).isEqualTo("c:1");
        pass(4_999);
        assertThat(asked()).isEmpty();
        pass(1);
        assertThat(asked()).containsExactly("c:2");
    }

    // ---- outages

    @Test
    void aWaiterFailsWhenTheOutagePatienceEnds() {
        fails(true, BROKEN);
        CompletableFuture<Lease> first = wish(TEN);
        isSilent(); // from the second request on, so that none is given up just when the patience ends
        pass(20_000);
        CompletableFuture<Lease> later = wish(TEN);
        pass(9_999);
        assertThat(first).isNotDone();
        pass(1);
        assertThat(first).isCompletedExceptionally();
        assertThat(later).as("the outage patience is not counted per waiter").isCompletedExceptionally();
    }

    @Test
    void aQueuedWaiterCountsTheOutageFromTheDisconnection() {
        for (LockOptions options : List.of(TEN, FIFO)) {
            holdElsewhere(600_000);
            CompletableFuture<Lease> wish = wish(options);
            pass(100);
            fails(true, BROKEN);
            client.engine.backendWatch.disconnected(new IllegalStateException("broken"));
            pass(29_999);
            assertThat(wish).isNotDone();
            pass(1);
            assertThat(wish).isCompletedExceptionally();
            answersAgain();
            client.engine.backendWatch.connected(time());
        }
    }

    @Test
    void aQueuedWaiterWaitsOnIfOnlyTheGrantConnectionIsLost() {
        holdElsewhere(600_000);
        CompletableFuture<Lease> wish = wish(TEN);
        client.engine.backendWatch.disconnected(new IllegalStateException("broken"));
        pass(60_000);
        assertThat(wish).isNotDone();
    }

    @Test
    void thePatienceBeginsAgainForTheFirstWaiterOfAnIdleLock() {
        isSilent();
        CompletableFuture<Lease> first = wish(TEN);
        pass(20_000);
        first.cancel(false);
        pass(5_000);
        CompletableFuture<Lease> later = wish(TEN);
        pass(10_000);
        assertThat(later).isNotDone();
        pass(20_000);
        assertThat(later).isCompletedExceptionally();
    }

    @Test
    void anAnswerEndsAnOutage() {
        holdElsewhere(600_000);
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        pass(3_000);
        answersAgain();
        pass(10_000);
        isSilent();
        pass(29_000);
        assertThat(wish).isNotDone();
        pass(8_000);
        assertThat(wish).isCompletedExceptionally();
    }

    @Test
    void anAnsweredRenewalEndsAnOutageToo() {
        acquire(TEN);
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<Lease> wish = wish(FIFO);
        pass(60_000);
        assertThat(wish).isNotDone();
    }

    // ---- the end

    @Test
    void closingEndsAllWaitsAndEmptiesTheQueue() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> sharing = wish(TEN);
        CompletableFuture<Lease> fifo = wish(FIFO);
        happens(LockMachine::close);
        for (CompletableFuture<Lease> wish : List.of(sharing, fifo)) {
            assertThat(wish).isCompletedExceptionally();
            assertThat(wish.handle((lease, thrown) -> thrown).join()).isInstanceOf(ClientClosedException.class);
        }
        assertThat(look().queue()).isEmpty();
        assertThat(client.engine.drivers.count()).as("states that are kept").isZero();
    }

    @Test
    void theStateOfALockIsKeptForASecondAfterItsLastUse() {
        pass(10_000);
        acquire(TEN).release();
        pass(999);
        assertThat(client.engine.drivers.count()).isOne();
        pass(1);
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void aMachineDescribesItself() {
        isSilent();
        wish(TEN);
        assertThat(machine()).hasToString("lock 'lock': hold null, 1 waiting, requests [c:1 WANTED]");
        assertThat(machine().isWanted()).isTrue();
        assertThat(machine().knows("c:1")).isTrue();
        assertThat(machine().knows("c:2")).isFalse();
    }
}
