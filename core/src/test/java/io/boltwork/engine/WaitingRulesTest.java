package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.RecoveryTally;
import io.boltwork.spi.Command;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for waiters: when they ask, and how their waiting ends. */
class WaitingRulesTest extends EngineScene {

    // ---- trying

    @Test
    void whoOnlyTriesIsRefusedHereIfSomebodyHoldsOrWantsTheLock() {
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
    void whoOnlyTriesIsRefusedHereIfSomebodyWaitsInTheQueue() {
        isSilent();
        wish(FIFO);
        forget();
        assertThat(tries(0).join()).isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void whoWasNeverAnsweredIsToldThatItIsUnknown() {
        isSilent();
        CompletableFuture<?> wish = tries(1_000);
        pass(1_000);
        assertThat(wish).isCompletedExceptionally();
        assertThat(wish.handle((value, thrown) -> thrown).join()).isInstanceOf(BackendException.class);
    }

    @Test
    void whoTriesFailsWithTheFirstFailure() {
        fails(false, BROKEN);
        assertThat(tries(0)).isCompletedExceptionally();
        assertThat(withdrawn()).as("it was never there").isEmpty();
    }

    // ---- polling

    @Test
    void whoIsFirstAsksWhenTheLeaseItWasToldOfEndsAndTheOthersABitLater() {
        holdElsewhere(500);
        wish(TEN);
        forget();
        pass(499);
        assertThat(asked()).isEmpty();
        pass(2);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(501L);
    }

    @Test
    void placesInTheQueueAreStaggered() {
        isSilent();
        wish(TEN);
        Command.Acquire acquire = firstAcquire();
        forget();
        answered(acquire, 0, queued(500, 3, false));
        pass(600);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(505L);
    }

    @Test
    void aPlaceFarBehindIsStaggeredByAHundredPlacesAtMost() {
        isSilent();
        wish(TEN);
        Command.Acquire acquire = firstAcquire();
        forget();
        answered(acquire, 0, queued(500, 5_000, false));
        pass(1_000);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(701L);
    }

    @Test
    void whoeverWaitsAsksAgainAfterTheSafetyPoll() {
        holdElsewhere(60_000);
        wish(TEN);
        forget();
        pass(10_500);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(5_000L, 10_000L);
    }

    @Test
    void whoeverWaitsAsksAgainWhenAConnectionWasReplaced() {
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
        Command.Acquire oldest = firstAcquire();
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
    void theEarliestEndThatAnyWasToldOfIsPolledAt() {
        isSilent();
        wish(FIFO);
        wish(FIFO);
        Command.Acquire oldest = firstAcquire();
        Command.Acquire second = sent(Command.Acquire.class).get(1);
        answered(oldest, 0, queued(600, 1, false));
        answered(second, 0, queued(297, 2, false));
        forget();
        pass(700);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(300L);
    }

    @Test
    void ifTheOldestGivesUpWithAQuestionUnderWayTheNextAsksAtOnce() {
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
    void ifTheOldestGivesUpOtherwiseTheNextPollsWhenItWasDue() {
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
    void ifTheOldestIsServedTheNextPollsInItsPlace() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        isSilentAbout(Command.Acquire.class);
        pass(5_000);
        forget();
        stall(500);
        freeElsewhere();
        assertThat(client.engine.hold("lock").request.id()).isEqualTo("c:1");
        pass(4_999);
        assertThat(asked()).isEmpty();
        pass(1);
        assertThat(asked()).containsExactly("c:2");
    }

    // ---- outages

    @Test
    void whoWaitsFailsWhenTheOutageHasLastedItsPatience() {
        fails(true, BROKEN);
        CompletableFuture<Lease> first = wish(TEN);
        isSilent(); // from the second question on: none is given up just when the patience ends
        pass(20_000);
        CompletableFuture<Lease> later = wish(TEN);
        pass(9_999);
        assertThat(first).isNotDone();
        pass(1);
        assertThat(first).isCompletedExceptionally();
        assertThat(later).as("the patience is the client's").isCompletedExceptionally();
    }

    @Test
    void whoStandsInTheQueueCountsTheOutageFromTheLossOfTheConnection() {
        for (LockOptions options : List.of(TEN, FIFO)) {
            holdElsewhere(600_000);
            CompletableFuture<Lease> wish = wish(options);
            pass(100);
            fails(true, BROKEN);
            client.engine.disconnected(new IllegalStateException("broken"));
            pass(29_999);
            assertThat(wish).isNotDone();
            pass(1);
            assertThat(wish).isCompletedExceptionally();
            answersAgain();
            client.engine.connected(time());
        }
    }

    @Test
    void whoStandsInTheQueueGoesOnWaitingIfOnlyTheConnectionForGrantsIsLost() {
        holdElsewhere(600_000);
        CompletableFuture<Lease> wish = wish(TEN);
        client.engine.disconnected(new IllegalStateException("broken"));
        pass(60_000);
        assertThat(wish).isNotDone();
    }

    @Test
    void thePatienceBeginsAnewForWhoComesWhenNobodyWaits() {
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
    void closingEndsAllWaitingAndTakesItOutOfTheQueue() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> sharing = wish(TEN);
        CompletableFuture<Lease> fifo = wish(FIFO);
        happens(LockMachine::close);
        for (CompletableFuture<Lease> wish : List.of(sharing, fifo)) {
            assertThat(wish).isCompletedExceptionally();
            assertThat(wish.handle((lease, thrown) -> thrown).join()).isInstanceOf(ClientClosedException.class);
        }
        assertThat(look().queue()).isEmpty();
        assertThat(client.engine.states()).as("nothing is kept").isZero();
    }

    @Test
    void theStateOfALockIsKeptForASecondAfterItsLastUse() {
        pass(10_000);
        acquire(TEN).release();
        pass(999);
        assertThat(client.engine.states()).isOne();
        pass(1);
        assertThat(client.engine.states()).isZero();
    }

    @Test
    void aMachineTellsWhatItKnows() {
        isSilent();
        wish(TEN);
        assertThat(machine()).hasToString("lock 'lock': hold null, 1 waiting, requests [c:1 WANTED]");
        assertThat(machine().isWanted()).isTrue();
        assertThat(machine().knows("c:1")).isTrue();
        assertThat(machine().knows("c:2")).isFalse();
    }
}
