// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** The holds of threads that wait and signal. */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
abstract class ConditionContractOwners extends ConditionContractPart {

    ConditionContractOwners(LockSite site) {
        super(site);
    }

    @Test
    void onlyTheOwnerWaitsAndSignals() {
        FencedLock lock = newLock();
        Condition condition = lock.condition(CONDITION);
        Holder other = hold(lock);
        assertThatThrownBy(condition::await)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> condition.awaitNanos(1)).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(condition::awaitUninterruptibly).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(condition::signal).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(condition::signalAll).isInstanceOf(IllegalMonitorStateException.class);
        other.release();
        assertThatThrownBy(condition::signal).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aWaitReleasesAllLevelsAndRestoresThem() throws InterruptedException {
        FencedLock lock = newLock();
        lock.lock();
        lock.lock();
        lock.lock();
        long token = tokenOf(lock);
        Task<Long> other = start(() -> {
            FencedLock there = newLock();
            there.lock();
            long theirs = tokenOf(there);
            there.unlock();
            return theirs;
        });
        awaitQueued(1);
        assertThat(lock.condition(CONDITION).await(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(other.get(PROMPT)).isGreaterThan(token);
        assertThat(lock.holdCount()).isEqualTo(3);
        assertThat(tokenOf(lock)).isGreaterThan(other.get());
        lock.unlock();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aThreadThatWaitsHoldsNothing() {
        Party party = party();
        waiting(party);
        FencedLock lock = party.lock(name);
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.tryLock()).as("others need not wait for it").isTrue();
        lock.unlock();
        signal(party);
        awaitWoken(1);
    }

    @Test
    void aWaitWithAnOpenLeaseIsRefused() {
        FencedLock lock = newLock();
        lock.lock();
        try (Lease lease = lock.acquire()) {
            assertThatThrownBy(lock.condition(CONDITION)::await)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContainingAll("lease", "'" + name + "'");
            lease.ensureValid();
            lock.condition(CONDITION).signal();
        }
        lock.unlock();
    }

    @Test
    void aLostHoldNeitherWaitsNorSignals() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Condition condition = lock.condition(CONDITION);
        lock.lock();
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        Await.until("the loss", () -> !lock.isHeldByCurrentThread());
        assertThatThrownBy(condition::await).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(condition::signal).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aWaitThatFindsItsHoldLostFails() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.lock();
        party.backend().holdBackGrants(); // it is not told
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        assertThatThrownBy(lock.condition(CONDITION)::await).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        party.backend().deliverGrants();
    }

    @Test
    void theOptionsOfTheHoldStay() throws InterruptedException {
        Party party = party();
        Duration lease = millis(3_000);
        FencedLock lock = party.lock(name, LockOptions.fixedLease(lease));
        lock.lock();
        pass(Duration.ofMillis(50));
        Duration before = lock.currentLease().orElseThrow().remaining();
        assertThat(lock.condition(CONDITION).await(10, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lock.currentLease().orElseThrow().remaining())
                .as("a new fixed lease")
                .isBetween(before, lease);
        lock.unlock();
    }

    @Test
    void waitsOfManyThreadsOfOneClientAreServed() {
        Party party = party();
        int threads = 40;
        for (int i = 0; i < threads; i++) {
            waiting(party);
        }
        signalAll(party());
        Await.until("all woken", () -> woken.size() == threads);
    }

    @Test
    void otherKindsOfLocksHaveNoConditions() {
        Party party = party();
        FencedLock read = party.client().readWriteLock(name).readLock();
        FencedLock write = party.client().readWriteLock(name).writeLock();
        assertThatThrownBy(read::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> write.condition("a")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> party.client().multiLock(party.lock(name)).condition("a"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void badNamesAreRefused() {
        FencedLock lock = newLock();
        assertThatThrownBy(() -> lock.condition(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("name", "newCondition()");
        assertThatThrownBy(() -> lock.condition("x".repeat(1_025)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1024");
        assertThatThrownBy(() -> lock.condition("\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThat(lock.condition("a"))
                .isEqualTo(lock.condition("a"))
                .hasToString("The condition 'a' of the lock '" + name + "'");
        assertThat(lock.condition("a"))
                .isNotEqualTo(lock.condition("b"))
                .isNotEqualTo(newLock().condition("a"));
    }
}
