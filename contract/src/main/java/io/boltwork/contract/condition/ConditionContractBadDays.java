// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.contract.LockSite;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Conditions when clients die, messages are lost, and the server stops or forgets. */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
abstract class ConditionContractBadDays extends ConditionContractPart {

    ConditionContractBadDays(LockSite site) {
        super(site);
    }

    @Test
    void aDeadThreadTakesNoSignal() {
        Party doomed = doomedParty();
        Task<Boolean> first = waiting(doomed);
        Task<Boolean> second = waiting(doomed);
        Party party = party();
        Task<Boolean> third = waiting(party);
        doomed.kill();
        signal(party());
        third.get(PROMPT);
        doomed.client().close();
        assertThat(first.failure()).as("of the unlock").isInstanceOf(LeaseLostException.class);
        assertThat(second.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aClaimThatIsNeverConfirmedPassesItsSignalOn() {
        Party deaf = party();
        Task<Boolean> first = waiting(deaf);
        Task<Boolean> second = waiting(party());
        deaf.backend().holdBackGrants(); // its messages arrive nowhere, but it listens
        long start = System.nanoTime();
        signal(party());
        second.get();
        assertThat(since(start))
                .isLessThan(Duration.ofMillis(LockBackend.CLAIM_MILLIS).plus(TOLERANCE));
        deaf.backend().deliverGrants();
        signal(party());
        first.get();
    }

    @Test
    void aClosedClientPassesItsSignalsOn() {
        Party closed = party();
        Task<Boolean> first = waiting(closed);
        Task<Boolean> second = waiting(party());
        FencedLock lock = newLock();
        lock.lock();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        lock.condition(CONDITION).signal();
        lock.unlock();
        next.token();
        awaitQueued(1); // the first thread
        closed.client().close();
        assertThat(first.failure()).as("of the unlock").isInstanceOf(LeaseLostException.class);
        next.release();
        second.get(PROMPT);
    }

    @Test
    void aForgottenWaitIsWoken() {
        Task<Boolean> waiter = waiting(party());
        site.flush();
        waiter.get(Duration.ofSeconds(10));
    }

    @Test
    void aServerThatTakesOverEmptyWakesAllThreads() {
        Party party = party();
        waiting(party);
        waiting(party());
        site.restartEmpty();
        Await.until("both woken", () -> woken.size() == 2);
    }

    @Test
    void aBrokenConnectionCostsNoSignal() {
        Party party = party();
        Task<Boolean> waiter = waiting(party);
        FencedLock lock = newLock();
        lock.lock();
        lock.condition(CONDITION).signal();
        site.disconnectAll();
        lock.unlock();
        waiter.get();
    }

    @Test
    void aLostMessageDelaysAThreadByFiveSecondsAtMost() {
        Party party = party();
        Task<Boolean> waiter = waiting(party);
        party.backend().holdBackGrants();
        long start = System.nanoTime();
        signal(party());
        waiter.get();
        assertThat(since(start)).isLessThan(Duration.ofSeconds(6).plus(TOLERANCE));
        party.backend().deliverGrants();
    }

    @Test
    void waitsAndSignalsOutliveAnOutage() {
        Party party = party();
        Party other = party();
        Task<Boolean> waiter = waiting(party);
        FencedLock lock = other.lock(name);
        lock.lock();
        lock.condition(CONDITION).signal();
        site.freeze();
        lock.unlock(); // returns after the command timeout
        assertThat(waiter.isDone()).isFalse();
        site.thaw();
        waiter.get();
    }

    @Test
    void anOutageLongerThanThePatienceDoesNotEndAWait() {
        Duration patience = millis(300);
        Party party =
                party(ClientOptions.defaults().withOutagePatience(patience).withShutdownTime(Duration.ofSeconds(1)));
        Task<Boolean> waiter = waiting(party);
        site.freeze();
        pass(patience.multipliedBy(3));
        site.thaw();
        pass(Duration.ofMillis(200));
        assertThat(waiter.isDone()).isFalse();
        signal(party());
        waiter.get();
    }

    @Test
    void theEndOfTheClientEndsWaits() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Task<Boolean> waiter = start(() -> {
            lock.lock();
            lock.lock();
            assertThatThrownBy(lock.condition(CONDITION)::await).isInstanceOf(ClientClosedException.class);
            assertLost(lock, LeaseLoss.Reason.CLOSED);
            assertLost(lock, LeaseLoss.Reason.CLOSED);
            return true;
        });
        awaitWaits(party, 1);
        party.client().close();
        waiter.get(PROMPT);
    }

    @Test
    void aLockThatCannotBeHadAgainIsLost() {
        Duration patience = millis(300);
        Party party =
                party(ClientOptions.defaults().withOutagePatience(patience).withShutdownTime(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        Task<Boolean> waiter = start(() -> {
            lock.lock();
            lock.lock();
            assertThatThrownBy(() -> lock.condition(CONDITION).await(millis(300).toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(BackendException.class);
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertLost(lock, LeaseLoss.Reason.NOT_REGAINED);
            assertLost(lock, LeaseLoss.Reason.NOT_REGAINED);
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            return true;
        });
        awaitWaits(party, 1);
        site.freeze();
        waiter.get();
        site.thaw();
        awaitFree();
    }

    private static void assertLost(FencedLock lock, LeaseLoss.Reason reason) {
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(reason));
    }
}
