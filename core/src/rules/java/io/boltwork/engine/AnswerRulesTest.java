// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.Lease;
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

/** Rules of the engine for the answers to requests and for grants: what each means for the waiters. */
class AnswerRulesTest extends EngineScene {

    private CompletableFuture<Optional<Lease>> tries(long wait) {
        return client.lock(TEN).tryAcquireAsync(Duration.ofMillis(wait)).toCompletableFuture();
    }

    private Acquired queued(long remaining, int position, boolean known) {
        return new Acquired(time(), Verdict.QUEUED, 0, remaining, position, known, "other:1");
    }

    private Command.Acquire first() {
        return sent(Command.Acquire.class).get(0);
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
}
