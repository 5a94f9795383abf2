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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for answers to acquires: what they mean, what follows them, and when a request is withdrawn. */
class AnswerRulesTest extends EngineScene {

    @Test
    void staleAnswersAreFollowedByAQuestionAtOnceAndThenByLongerPauses() {
        answers(Command.Acquire.class, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        wish(TEN);
        pass(400);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 0L, 100L, 300L);
    }

    @Test
    void aStaleAnswerThatWasLongUnderWayIsFollowedByAQuestionAtOnceHoweverManyWereNotAnswered() {
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
    void whatFailsIsRepeatedAfterLongerAndLongerPauses() {
        fails(true, BROKEN);
        wish(TEN);
        pass(6_000);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 50L, 150L, 350L, 750L, 1_550L, 3_150L, 4_750L);
    }

    @Test
    void pausesAreOfARandomLength() {
        client.random = bound -> bound - 1;
        fails(true, BROKEN);
        wish(TEN);
        pass(150);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 99L);
    }

    @Test
    void whatIsNotAnsweredIsRepeatedAfterTheCommandTimeout() {
        isSilent();
        wish(TEN);
        pass(4_500);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 2_000L, 4_000L);
    }

    @Test
    void whatWaitingCannotHealFailsAtOnceForAll() {
        isSilent();
        CompletableFuture<Lease> first = wish(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        CompletableFuture<Lease> fifo = wish(FIFO);
        answered(firstAcquire(), 0, new Reply.Failed(true, new BackendException("no right", false, null)));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(fifo).isCompletedExceptionally();
    }

    @Test
    void whatWasNeverExecutedNeedsNoWithdrawal() {
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
    void whatWasAnsweredIsWithdrawnOnce() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        pass(12_000); // it has asked again
        forget();
        wish.cancel(false);
        pass(5_000);
        assertThat(withdrawn()).containsExactly("c:1");
        assertThat(look().queue()).isEmpty();
        assertThat(client.engine.states()).isZero();
    }

    @Test
    void aRequestWhoseBytesMayStillRunIsWithdrawnAgainAfterItsNotAfter() {
        holdElsewhere(60_000);
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<Lease> wish = wish(TEN);
        wish.cancel(false);
        pass(5_000);
        assertThat(withdrawn()).containsExactly("c:1", "c:1");
        assertThat(timesOf(Command.Withdraw.class)).containsExactly(0L, 2_001L);
    }

    @Test
    void ifItIsGrantedMeanwhileItIsWithdrawnAtOnce() {
        isSilentAbout(Command.Acquire.class);
        wish(TEN).cancel(false);
        pass(500);
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(timesOf(Command.Withdraw.class)).containsExactly(0L, 500L);
    }

    @Test
    void aLateAnswerForARequestThatIsGoneWithdrawsItIfItMayBeThere() {
        Command.Acquire gone = new Command.Acquire("lock", "c:99", true, 10_000, 0, Long.MAX_VALUE);
        answered(gone, 0, new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        answered(gone, 0, new Acquired(time(), Verdict.REFUSED, 0, 0, 0, false, null));
        assertThat(withdrawn()).isEmpty();
        answered(gone, 0, queued(500, 1, false));
        answered(gone, 0, new Acquired(time(), Verdict.GRANTED, 7_000, 0, 0, false, null));
        assertThat(withdrawn()).containsExactly("c:99", "c:99");
    }

    @Test
    void whatIsQueuedOrGrantedWhileItIsWithdrawnIsWithdrawnAgain() {
        isSilent();
        wish(TEN).cancel(false);
        Command.Acquire acquire = firstAcquire();
        Command.Withdraw withdraw = sent(Command.Withdraw.class).get(0);
        answered(acquire, 0, queued(500, 1, false));
        forget();
        Reply.Withdrawn done = new Reply.Withdrawn(time(), true, 0, null);
        answered(withdraw, 0, done);
        assertThat(withdrawn()).containsExactly("c:1");
        withdraw = sent(Command.Withdraw.class).get(0);
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        answered(withdraw, 0, done);
        assertThat(withdrawn()).containsExactly("c:1", "c:1");
        withdraw = sent(Command.Withdraw.class).get(1);
        answered(withdraw, 0, done);
        assertThat(withdrawn()).as("that was all").hasSize(2);
        assertThat(machine().knows("c:1")).isFalse();
    }

    @Test
    void whoIsAnsweredThatTheServerForgotHimHasTheOthersAskToo() {
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
        assertThat(asked()).as("known again").isEmpty();
    }

    @Test
    void aNewcomerThatIsGrantedAtOnceProvesThatNobodyStoodInTheQueue() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        client.server.delete("lock");
        forget();
        wish(TEN); // shares no request with those
        assertThat(client.engine.hold("lock").request.id()).isEqualTo("c:3");
        assertThat(asked()).containsExactly("c:3", "c:1", "c:2");
        forget();
        pass(1);
        assertThat(asked()).isEmpty();
    }

    @Test
    void whoWasNotEnteredWasNotForgotten() {
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
    void anAnswerFromBeforeTheServerForgotIsFollowedByAQuestion() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        isSilentAbout(Command.Acquire.class);
        pass(5_000); // the oldest asks
        Command.Acquire poll = sent(Command.Acquire.class).get(2);
        forget();
        Command.Acquire other = new Command.Acquire("lock", "c:2", true, 10_000, 0, Long.MAX_VALUE);
        answered(other, 5_000, queued(55_000, 1, false)); // it had known c:2
        assertThat(asked()).isEmpty();
        answered(poll, 5_000, queued(55_000, 1, true));
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void whatTheBackendCallsOursAndNobodyHereKnowsIsWithdrawn() {
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

    // ---- ask again

    @Test
    void aTryThatIsToldToAskAgainIsRepeatedAndNotRefused() {
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
    void aRequestThatIsToldToAskAgainAndIsNotWantedIsWithdrawn() {
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<?> wish = wish(TEN);
        Command.Acquire acquire = firstAcquire();
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
}
