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
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for waiters: when they ask, what answers and grants mean, how their waits end. */
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

    // ---- answers

    @Test
    void aStaleAnswerIsAskedAgainAtOnceThenWithLongerPauses() {
        answers(Command.Acquire.class, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        wish(TEN);
        pass(400);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 0L, 100L, 300L);
    }

    @Test
    void aSlowStaleAnswerIsAskedAgainAtOnceAfterManyTimeouts() {
        isSilent();
        wish(TEN);
        pass(7_900);
        Command.Acquire newest = sent(Command.Acquire.class).get(3);
        answersAgain();
        forget();
        answered(newest, 6_000, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        pass(0);
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aFailedRequestIsRepeatedAfterLongerAndLongerPauses() {
        fails(true, BROKEN);
        wish(TEN);
        pass(6_000);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 50L, 150L, 350L, 750L, 1_550L, 3_150L, 4_750L);
    }

    @Test
    void pausesHaveRandomLengths() {
        client.random = bound -> bound - 1;
        fails(true, BROKEN);
        wish(TEN);
        pass(150);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 99L);
    }

    @Test
    void anUnansweredRequestIsRepeatedAfterTheCommandTimeout() {
        isSilent();
        wish(TEN);
        pass(4_500);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 2_000L, 4_000L);
    }

    @Test
    void aPermanentErrorFailsAllWaitersAtOnce() {
        isSilent();
        CompletableFuture<Lease> first = wish(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        CompletableFuture<Lease> fifo = wish(FIFO);
        answered(first(), 0, new Reply.Failed(true, new BackendException("no right", false, null)));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(fifo).isCompletedExceptionally();
    }

    @Test
    void aRequestNeverExecutedNeedsNoWithdrawal() {
        fails(false, BROKEN);
        CompletableFuture<Lease> wish = wish(TEN);
        answersAgain();
        forget();
        wish.cancel(false);
        assertThat(sent).isEmpty();
        fails(true, BROKEN);
        wish = wish(TEN);
        forget();
        wish.cancel(false);
        assertThat(withdrawn()).containsExactly("c:2");
    }

    @Test
    void anAnsweredRequestIsWithdrawnOnce() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        pass(12_000); // the request has been sent again
        forget();
        wish.cancel(false);
        pass(5_000);
        assertThat(withdrawn()).containsExactly("c:1");
        assertThat(look().queue()).isEmpty();
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void aTaintedRequestIsWithdrawnAgainAfterItsNotAfter() {
        holdElsewhere(60_000);
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<Lease> wish = wish(TEN);
        wish.cancel(false);
        pass(5_000);
        assertThat(withdrawn()).containsExactly("c:1", "c:1");
        assertThat(timesOf(Command.Withdraw.class)).containsExactly(0L, 2_001L);
    }

    @Test
    void aTaintedRequestGrantedMeanwhileIsWithdrawnAtOnce() {
        isSilentAbout(Command.Acquire.class);
        wish(TEN).cancel(false);
        pass(500);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(timesOf(Command.Withdraw.class)).containsExactly(0L, 500L);
    }

    @Test
    void aLateAnswerForAFinishedRequestWithdrawsItIfNeeded() {
        Command.Acquire gone = new Command.Acquire("lock", "c:99", true, 10_000, 0, Long.MAX_VALUE);
        answered(gone, 0, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        answered(gone, 0, new Acquired(time(), Verdict.REFUSED, 0, 0, 0, false, null));
        assertThat(withdrawn()).isEmpty();
        answered(gone, 0, queued(500, 1, false));
        answered(gone, 0, new Acquired(time(), Verdict.GRANTED, 7_000, 0, 0, false, null));
        assertThat(withdrawn()).containsExactly("c:99", "c:99");
    }

    @Test
    void aRequestThatEntersDuringItsWithdrawalIsWithdrawnAgain() {
        isSilent();
        wish(TEN).cancel(false);
        Command.Acquire acquire = first();
        Command.Withdraw withdraw = sent(Command.Withdraw.class).get(0);
        answered(acquire, 0, queued(500, 1, false));
        forget();
        Reply.Withdrawn done = new Reply.Withdrawn(time(), true, 0, null);
        answered(withdraw, 0, done);
        assertThat(withdrawn()).containsExactly("c:1");
        withdraw = sent(Command.Withdraw.class).get(0);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        answered(withdraw, 0, done);
        assertThat(withdrawn()).containsExactly("c:1", "c:1");
        withdraw = sent(Command.Withdraw.class).get(1);
        answered(withdraw, 0, done);
        assertThat(withdrawn()).as("withdrawals in total").hasSize(2);
        assertThat(machine().knows("c:1")).isFalse();
    }

    @Test
    void aForgottenWaiterMakesTheOthersAskToo() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        wish(TEN);
        forget();
        client.server.delete("lock");
        holdElsewhere(60_000);
        pass(5_000);
        assertThat(asked()).contains("c:1", "c:2", "c:3");
        assertThat(look().queue()).hasSize(3);
        forget();
        pass(4_999);
        assertThat(asked()).as("requests, as the server knows them again").isEmpty();
    }

    @Test
    void aNewcomerGrantedAtOnceProvesThatTheQueueWasEmpty() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        client.server.delete("lock");
        forget();
        wish(TEN); // does not share a request with the FIFO waiters
        assertThat(client.engine.drivers.hold("lock").request.id()).isEqualTo("c:3");
        assertThat(asked()).containsExactly("c:3", "c:1", "c:2");
        forget();
        pass(1);
        assertThat(asked()).isEmpty();
    }

    @Test
    void aRequestThatWasNotEnteredWasNotForgotten() {
        holdElsewhere(60_000);
        wish(FIFO);
        answers(Command.Acquire.class, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, "other:1"));
        wish(FIFO);
        answersAgain();
        forget();
        pass(1);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void anAnswerFromBeforeTheServerForgotIsAskedAgain() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        isSilentAbout(Command.Acquire.class);
        pass(5_000); // the oldest asks
        Command.Acquire poll = sent(Command.Acquire.class).get(2);
        forget();
        Command.Acquire other = new Command.Acquire("lock", "c:2", true, 10_000, 0, Long.MAX_VALUE);
        answered(other, 5_000, queued(55_000, 1, false)); // the server knew c:2 then
        assertThat(asked()).isEmpty();
        answered(poll, 5_000, queued(55_000, 1, true));
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void anUnknownRequestOfThisClientIsWithdrawn() {
        ServerTime time = time();
        Command.Acquire acquire = new Command.Acquire("lock", "c:8", true, 10_000, 0, Long.MAX_VALUE);
        answered(acquire, 0, new Acquired(time, Verdict.STALE, 0, 0, 0, false, "c:91"));
        Command.Release release = new Command.Release("lock", "c:8", 1, 1, 0, null);
        answered(release, 0, new Reply.Released(time, Reply.Release.RELEASED, null, 0, "c:92"));
        answered(new Command.Withdraw("lock", "c:8", 0), 0, new Reply.Withdrawn(time, true, 0, "c:93"));
        Command.Restore restore = new Command.Restore("lock", "c:8", 1, 10_000, 0, Long.MAX_VALUE);
        answered(restore, 0, new Reply.Restored(time, Reply.Renewal.LOST, "c:94"));
        Command.Renew.Item item = new Command.Renew.Item("lock", "c:8", 1, 10_000, 0);
        Reply.Renewed.Item result = new Reply.Renewed.Item(Reply.Renewal.LOST, "c:95");
        happens(machine -> machine.renewed(item, 0, result));
        answered(
                new Command.Renew(List.of(item), Long.MAX_VALUE),
                0,
                new Reply.Renewed(time, List.of(new Reply.Renewed.Item(Reply.Renewal.LOST, "c:96"))));
        assertThat(withdrawn()).containsExactly("c:91", "c:92", "c:93", "c:94", "c:95", "c:96");
    }

    // ---- grants

    @Test
    void aGrantIsCountedFromTheServersTimeInTheNewestAnswer() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        stall(1_000);
        Grant grant = new Grant("lock", "c:1", 7_000, 3_000, time());
        stall(500); // in transit
        client.engine.backendWatch.granted(grant);
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(2_500 - 40 - 2));
    }

    @Test
    void anOlderAnswerDoesNotTellTheTime() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        Command.Acquire acquire = first();
        stall(1_000);
        answered(acquire, 1_000, queued(60_000, 1, false));
        answered(
                acquire,
                0,
                new Acquired(new ServerTime(0, "another run"), Verdict.QUEUED, 0, 9_000, 1, true, "other:1"));
        stall(500);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(3_000 - 35 - 2));
    }

    @Test
    void aGrantBeforeAnyAnswerIsCountedFromTheFirstAcquire() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        stall(500);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(2_500 - 30 - 2));
    }

    @Test
    void aGrantThatCannotBeCountedIsConfirmedFirst() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        client.engine.backendWatch.connected(time()); // the answer may have been lost
        forget();
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
        answersAgain();
        pass(2_000);
        assertThat(wish).isCompleted();
    }

    @Test
    void aGrantOfAnotherServerRunIsConfirmedFirst() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        forget();
        client.engine.backendWatch.granted(
                new Grant("lock", "c:1", 7_000, 3_000, new ServerTime(time().millis(), "another")));
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aGrantAfterAJumpOfTheServersClockIsCountedFromNow() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        stall(500);
        client.server.advance(Duration.ofSeconds(30));
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(3_000 - 35 - 2));
    }

    private void grantThatCannotBeCounted() {
        client.engine.backendWatch.granted(
                new Grant("lock", "c:1", 7_000, 3_000, new ServerTime(time().millis(), "another")));
    }

    @Test
    void aRequestGrantedByMessageIsWithdrawn() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        grantThatCannotBeCounted();
        Command.Acquire second = sent(Command.Acquire.class).get(1);
        answered(first(), 0, new Acquired(time(), Verdict.STALE, 0, 0, 0, true, "c:1"));
        answered(second, 0, new Reply.Failed(false, BROKEN));
        forget();
        wish.cancel(false);
        assertThat(withdrawn())
                .as("no acquire is open, but the server knows it")
                .containsExactly("c:1");
    }

    @Test
    void aGrantByMessageIsADefiniteAnswer() {
        isSilent();
        wish(TEN);
        grantThatCannotBeCounted();
        CompletableFuture<Optional<Lease>> later = tries(1_000);
        pass(1_000);
        assertThat(later).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aRequestGrantedByMessageStoodInTheQueue() {
        holdElsewhere(60_000);
        isSilent();
        wish(FIFO);
        Command.Acquire granted = first();
        answersAgain();
        wish(FIFO);
        isSilent();
        grantThatCannotBeCounted();
        forget();
        answered(granted, 0, queued(55_000, 1, false)); // the claim has lapsed, and c:2 left the queue with it
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void aGrantOfAReplacedServerIsConfirmedFirst() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        Grant grant = new Grant("lock", "c:1", 7_000, 3_000, time());
        isSilent();
        client.engine.backendWatch.connected(new ServerTime(time().millis(), "another"));
        forget();
        client.engine.backendWatch.granted(grant);
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void anAnswerOfAReplacedConnectionStillTellsTheTime() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        isSilent();
        client.engine.backendWatch.connected(time());
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(wish).isCompleted();
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
