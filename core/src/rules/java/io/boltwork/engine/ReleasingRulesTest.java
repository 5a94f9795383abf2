// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Slice;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for releases, handovers, and nudges after a grant. */
class ReleasingRulesTest extends EngineScene {

    private Reply.Released released(Reply.Release outcome, Acquired next, long claimMillis) {
        return new Reply.Released(time(), outcome, next, claimMillis, null);
    }

    private Command.Release lastRelease() {
        List<Command.Release> releases = sent(Command.Release.class);
        return releases.get(releases.size() - 1);
    }

    // ---- handing over

    @Test
    void aHandoverNeedsNoAnswer() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        isSilent();
        forget();
        CompletableFuture<Void> released = first.releaseAsync().toCompletableFuture();
        assertThat(released).isCompleted();
        assertThat(granted(second).fencingToken()).isEqualTo(first.fencingToken() + 1);
        assertThat(sent).isEmpty();
    }

    @Test
    void theSliceIsFourRoundTrips() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        Command.Acquire acquire = sent(Command.Acquire.class).get(0);
        stall(20);
        answered(acquire, 0, new Acquired(time(), Verdict.GRANTED, 7_000, 0, 0, false, "c:1"));
        Lease lease = granted(wish);
        Request request = holdOf(lease).request;
        request.lastToken += 7; // the eighth owner
        assertThat(Slice.allowsHandover(request, 99 * MILLI, machine().slice())).isTrue();
        assertThat(Slice.allowsHandover(request, 100 * MILLI, machine().slice()))
                .isFalse();
        answersAgain();
        lease.release(); // a round trip that takes no time: the average loses an eighth
        request = holdOf(acquire(TEN)).request;
        request.lastToken += 7;
        assertThat(Slice.allowsHandover(
                        request, client.now() + 60 * MILLI, machine().slice()))
                .isTrue();
        assertThat(Slice.allowsHandover(
                        request, client.now() + 69 * MILLI, machine().slice()))
                .isFalse();
    }

    // ---- releasing

    @Test
    void aReleaseEntersAWaiterThatCannotHaveTheHoldItself() {
        Lease lease = acquire(TEN);
        CompletableFuture<Lease> other = wish(TWENTY);
        forget();
        lease.release();
        assertThat(sent).hasSize(1);
        assertThat(lastRelease().next()).isNotNull();
        assertThat(granted(other).fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void theNextWaiterAsksIfTheReleaseIsNotAnswered() {
        Lease lease = acquire(TEN);
        CompletableFuture<Lease> other = wish(TWENTY);
        isSilent();
        lease.releaseAsync();
        forget();
        pass(1_999);
        assertThat(sent).isEmpty();
        answersAgain();
        pass(1);
        assertThat(asked()).containsExactly("c:2");
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(lastRelease().next()).isNull();
        assertThat(other).isCompleted();
    }

    @Test
    void aFailedReleaseAndTheNextRequestAreRepeatedSoon() {
        Lease lease = acquire(TEN);
        CompletableFuture<Lease> other = wish(TWENTY);
        fails(true, BROKEN);
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        assertThat(released).as("the caller does not wait for the repetition").isCompleted();
        forget();
        answersAgain();
        pass(49);
        assertThat(sent).isEmpty();
        pass(1);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(asked()).containsExactly("c:2");
        assertThat(other).isCompleted();
    }

    @Test
    void aNextRequestThatWasNotEnteredAsksAtOnce() {
        Lease lease = acquire(TEN);
        CompletableFuture<Lease> other = wish(TWENTY);
        client.server.delete("lock");
        holdElsewhere(60_000);
        forget();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(asked()).containsExactly("c:2");
        other.cancel(false);
        pass(3_000);
        assertThat(withdrawn())
                .as("withdrawn once, because none of its bytes are under way")
                .containsExactly("c:2");
    }

    @Test
    void anUnansweredReleaseIsRepeatedUntilItsLeaseHasEnded() {
        Lease lease = acquire(TEN);
        isSilent();
        forget();
        lease.releaseAsync();
        pass(60_000);
        List<Long> times = timesOf(Command.Release.class);
        assertThat(times).startsWith(0L, 2_000L, 4_000L).hasSize(6);
        assertThat(times.get(5)).isEqualTo(10_000);
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void aNewConnectionRepeatsFailedCommandsAtOnce() {
        Lease lease = acquire(TEN);
        fails(true, BROKEN);
        lease.releaseAsync();
        forget();
        answersAgain();
        client.engine.backendWatch.connected(time());
        pass(0);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aReleaseOfATakenLockReportsTheLossOnce() {
        List<LeaseLoss> heard = new ArrayList<>();
        client.engine.core.listeners.add(new LockListener() {
            @Override
            public void lost(Lost event) {
                heard.add(event.loss());
            }
        });
        Lease lease = acquire(TEN);
        client.server.execute(new ForceRelease("lock", 0));
        assertThatThrownBy(lease::release)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(LeaseLoss.Reason.TAKEN));
        assertThat(heard).hasSize(1);
        assertThat(heard.get(0).fencingToken()).isEqualTo(lease.fencingToken());
    }

    @Test
    void aKnownLossIsNotReportedAgainByTheRelease() {
        List<LeaseLoss> heard = new ArrayList<>();
        client.engine.core.listeners.add(new LockListener() {
            @Override
            public void lost(Lost event) {
                heard.add(event.loss());
            }
        });
        Lease lease = acquire(TEN);
        client.server.execute(new ForceRelease("lock", 0));
        holdElsewhere(60_000);
        pass(5_000);
        assertThat(heard).hasSize(1);
        forget();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(sent(Command.Release.class))
                .as("releases, so that nothing is left at the server")
                .hasSize(1);
        assertThat(heard).hasSize(1);
    }

    @Test
    void aReleaseAnsweredAtTheDeadlineIsNotALoss() {
        Lease lease = acquire(TEN);
        isSilent();
        CompletableFuture<Void> done = lease.releaseAsync().toCompletableFuture();
        stallTo(lease);
        answered(lastRelease(), 0, released(Reply.Release.NOT_HELD, null, 0));
        assertThat(done).isCompleted();
        assertThat(done.isCompletedExceptionally()).isFalse();
    }

    @Test
    void aReleaseAfterTheDeadlineDoesNotEndTheTakeoverDelay() {
        LockOptions delayed = TEN.withTakeoverDelay(Duration.ofSeconds(5));
        Lease early = acquire(delayed);
        early.release();
        assertThat(lastRelease().keepMillis()).isZero();
        Lease late = acquire(delayed);
        long closedUntil = holdOf(late).request.closedUntil;
        stallTo(late);
        assertThatThrownBy(late::release).isInstanceOf(LeaseLostException.class);
        assertThat(lastRelease().keepMillis()).isEqualTo((closedUntil - client.now()) / MILLI + 2);
    }

    @Test
    void aReleaseUnknownToTheServerMakesTheOthersAsk() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = wish(FIFO);
        wish(FIFO);
        freeElsewhere();
        client.server.delete("lock");
        forget();
        granted(first).release();
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void aReleaseKnownToTheServerDoesNotMakeTheOthersAsk() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = wish(FIFO);
        wish(FIFO);
        freeElsewhere();
        forget();
        granted(first).release();
        assertThat(asked()).isEmpty();
    }

    @Test
    void aTaintedRequestIsWithdrawnAfterItsRelease() {
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<Lease> wish = wish(TEN);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        forget();
        granted(wish).releaseAsync();
        assertThat(withdrawn()).containsExactly("c:1");
        answersAgain();
        pass(5_000);
        forget();
        acquire(TEN).release();
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void aRequestWhoseReleaseHasOvertakenItsAcquireIsWithdrawn() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> waiting = wish(TEN);
        isSilent();
        client.engine.backendWatch.connected(time());
        Command.Acquire repeated = sent(Command.Acquire.class).get(1);
        freeElsewhere();
        granted(waiting).releaseAsync();
        Command.Release release = sent(Command.Release.class).get(0);
        Reply released = client.execute(release);
        Reply granted = client.execute(repeated);
        answersAgain();
        answered(repeated, now(), granted);
        answered(release, now(), released);
        assertThat(withdrawn()).containsExactly("c:1");
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aLostHoldThatCannotRemainAtTheServerIsNotReleased() {
        Lease lease = acquire(TEN);
        client.server.execute(new ForceRelease("lock", 0));
        holdElsewhere(60_000);
        pass(30_000);
        assertThat(machine().knows("c:1")).isFalse();
        forget();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(sent(Command.Release.class)).isEmpty();
    }

    @Test
    void aLockIsForgottenWhenItsLostHoldIsUnwound() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        client.server.execute(new ForceRelease("lock", 0));
        holdElsewhere(60_000);
        pass(5_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        pass(1_100);
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void aReleaseAfterCloseCompletesWithoutACommand() {
        Lease lease = acquire(TEN);
        Hold hold = holdOf(lease);
        hold.leave(true); // its release has not reached the machine yet
        isSilent();
        happens(LockMachine::close);
        forget();
        happens(machine -> machine.release(hold));
        assertThat(hold.released().isDecided()).isTrue();
        assertThat(sent)
                .as("commands after close, which has already sent the release")
                .isEmpty();
    }

    @Test
    void closingReleasesLostHoldsToo() {
        Lease lease = acquire(FIXED);
        wish(FIXED);
        stallTo(lease);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        forget();
        happens(LockMachine::close);
        assertThat(sent(Command.Release.class))
                .extracting(Command.Release::request)
                .containsExactly("c:1");
        assertThat(lastRelease().next()).isNull();
    }

    @Test
    void anUnlockAfterCloseReportsTheLoss() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        client.engine.close();
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(LeaseLoss.Reason.CLOSED));
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void closingForgetsLostHolds() {
        client.lock(FIXED).lock();
        pass(15_000);
        assertThat(client.engine.drivers.count())
                .as("its thread has not unwound")
                .isOne();
        happens(LockMachine::close);
        assertThat(client.engine.drivers.count()).isZero();
    }

    // ---- withdrawing

    @Test
    void aFailedWithdrawalIsRepeatedSoon() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        fails(true, BROKEN);
        wish.cancel(false);
        answersAgain();
        forget();
        pass(50);
        assertThat(withdrawn()).containsExactly("c:1");
    }

    @Test
    void aRefusedWithdrawalEndsWhenNothingCanBeLeft() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        fails(true, BROKEN);
        wish.cancel(false);
        pass(60_000);
        assertThat(machine().knows("c:1")).as("the request may be in the queue").isTrue();
        fails(true, new BackendException("no right", false, null));
        pass(10_000);
        assertThat(machine().knows("c:1")).isTrue();
        pass(10_000);
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void aWithdrawalOfAForgottenRequestMakesTheOthersAsk() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = wish(FIFO);
        wish(FIFO);
        client.server.delete("lock");
        forget();
        first.cancel(false);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void aWithdrawalOfAKnownRequestDoesNotMakeTheOthersAsk() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = wish(FIFO);
        wish(FIFO);
        forget();
        first.cancel(false);
        pass(100);
        assertThat(asked()).isEmpty();
    }

    @Test
    void anAnswerToAnEarlierWithdrawalDoesNotCount() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        isSilent();
        wish.cancel(false);
        Command.Withdraw first = sent(Command.Withdraw.class).get(0);
        pass(2_000); // it is sent again
        answered(first, 0, new Reply.Withdrawn(time(), true, 0, null));
        assertThat(machine().knows("c:1")).isTrue();
        answered(sent(Command.Withdraw.class).get(1), 2_000, new Reply.Withdrawn(time(), true, 0, null));
        assertThat(machine().knows("c:1")).isFalse();
    }

    @Test
    void aReleasePerhapsLostIsRepeatedUnlessItIsUnderWay() {
        holdElsewhere(60_000);
        wish(TEN);
        forget();
        happens(machine -> machine.releaseAgain(1, 7_000));
        assertThat(withdrawn()).isEmpty();
        happens(machine -> machine.releaseAgain(99, 7_000));
        assertThat(sent(Command.Withdraw.class)).containsExactly(new Command.Withdraw("lock", "c:99", 7_000));
    }

    // ---- nudging

    @Test
    void aClientThatCausedAGrantNudgesOnce() {
        Lease lease = acquire(TEN);
        isSilent();
        lease.releaseAsync();
        forget();
        answered(lastReleaseOf(lease), 0, released(Reply.Release.RELEASED, null, 500));
        pass(500);
        assertThat(withdrawn()).isEmpty();
        assertThat(client.engine.drivers.count()).isOne();
        pass(1);
        assertThat(withdrawn()).containsExactly((String) null);
        pass(5_000);
        assertThat(withdrawn()).as("once").hasSize(1);
    }

    private static Command.Release lastReleaseOf(Lease lease) {
        long token = lease.fencingToken();
        return new Command.Release("lock", "c:1", token, token, 0, null);
    }

    @Test
    void aClientInTheQueueDoesNotNudge() {
        Lease lease = acquire(TEN);
        wish(TWENTY);
        isSilent();
        lease.releaseAsync();
        Acquired queued = new Acquired(time(), Verdict.QUEUED, 0, 60_000, 1, false, "other:1");
        answered(lastRelease(), 0, released(Reply.Release.RELEASED, queued, 500));
        forget();
        pass(1_000);
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void aClientThatReleasesByForceNudgesToo() {
        acquire(TEN).release();
        forget();
        happens(machine -> machine.nudgeAfter(500));
        pass(501);
        assertThat(withdrawn()).containsExactly((String) null);
        forget();
        happens(machine -> machine.nudgeAfter(0));
        pass(501);
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void aClientThatHearsOfTheLockAgainDoesNotNudge() {
        holdElsewhere(60_000);
        wish(TEN);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        client.engine.backendWatch.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        pass(501);
        assertThat(withdrawn()).as("by a grant").isEmpty();
        happens(machine -> machine.nudgeAfter(100));
        answered(
                new Command.Acquire("lock", "c:99", false, 1_000, 0, 0),
                now(),
                new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        pass(101);
        assertThat(withdrawn()).as("by an answer").isEmpty();
    }

    @Test
    void aClientThatOnlyTriedStillNudges() {
        acquire(TEN).release();
        holdElsewhere(60_000);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        assertThat(client.lock(TEN).tryLock()).isFalse();
        pass(501);
        assertThat(withdrawn()).contains((String) null);
    }

    @Test
    void aFailedNudgeIsRepeatedSoon() {
        acquire(TEN).release();
        happens(machine -> machine.nudgeAfter(500));
        fails(true, BROKEN);
        pass(501);
        forget();
        pass(99);
        assertThat(withdrawn()).isEmpty();
        pass(1);
        assertThat(withdrawn()).hasSize(1);
    }

    @Test
    void waitersAskAfterANudgeBecausePlacesMayBeLost() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(TEN);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        pass(501);
        assertThat(withdrawn()).containsExactly((String) null);
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aClosedClientDoesNotStayToNudge() {
        acquire(TEN).release();
        happens(machine -> machine.nudgeAfter(500));
        pass(400);
        happens(LockMachine::close);
        assertThat(client.engine.drivers.count()).isZero();
    }
}
