// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Signals that wake the threads that wait for a condition. */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
abstract class ConditionContractSignalling extends ConditionContractPart {

    ConditionContractSignalling(LockSite site) {
        super(site);
    }

    @Test
    void aSignalWakesTheThreadThatWaitsLongest() {
        Party here = party();
        Party there = party();
        List<Task<Boolean>> waiters = List.of(waiting(here), waiting(there), waiting(here), waiting(there));
        for (int i = 0; i < waiters.size(); i++) {
            signal(i % 2 == 0 ? there : here);
            assertThat(waiters.get(i).get(PROMPT)).as("holds the lock").isTrue();
            assertThat(woken).hasSize(i + 1);
        }
        assertThat(woken).isEqualTo(waiters.stream().map(Task::name).toList());
    }

    @Test
    void aSignalWakesOneThread() {
        Party party = party();
        waiting(party);
        waiting(party());
        signal(party);
        awaitWoken(1);
        pass(Duration.ofMillis(200));
        assertThat(woken).hasSize(1);
        signal(party);
        awaitWoken(2);
    }

    @Test
    void severalSignalsWakeAsManyThreads() {
        Party party = party();
        for (int i = 0; i < 3; i++) {
            waiting(party);
        }
        FencedLock lock = newLock();
        Condition condition = lock.condition(CONDITION);
        lock.lock();
        condition.signal();
        condition.signal();
        assertThat(woken).isEmpty();
        lock.unlock();
        awaitWoken(2);
        signal(party);
        awaitWoken(3);
    }

    @Test
    void signalAllWakesAllThreads() {
        Party here = party();
        Party there = party();
        for (int i = 0; i < 5; i++) {
            waiting(here);
            waiting(there);
        }
        waiting(there, "another");
        signalAll(here);
        awaitWoken(10);
        FencedLock lock = here.lock(name);
        signal(lock, lock.condition("another"));
        awaitWoken(11);
    }

    @Test
    void aSignalForNoThreadHasNoEffect() {
        Party party = party();
        signal(party);
        signalAll(party);
        Task<Boolean> waiter = waiting(party);
        pass(Duration.ofMillis(100));
        assertThat(waiter.isDone()).isFalse();
        signal(party());
        waiter.get(PROMPT);
    }

    @Test
    void eachConditionHasItsOwnThreads() {
        Party party = party();
        Task<Boolean> own = waiting(party, party.lock(name), () -> {
            party.lock(name).newCondition().await();
            return true;
        });
        Task<Boolean> odd = waiting(party, "a name with spaces, 'quotes' and +signs ✓");
        Task<Boolean> other = waiting(party, "other");
        FencedLock lock = newLock();
        signal(lock, lock.condition("other"));
        other.get(PROMPT);
        signal(lock, lock.condition("a name with spaces, 'quotes' and +signs ✓"));
        odd.get(PROMPT);
        assertThat(own.isDone()).isFalse();
        signal(lock, lock.newCondition());
        own.get(PROMPT);
    }

    @Test
    void aConditionThatMayBeSeveralWakesAllThreads() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Condition notEmpty = lock.newCondition();
        Condition notFull = lock.newCondition();
        assertThat(notEmpty).isEqualTo(notFull);
        for (Condition condition : List.of(notEmpty, notFull)) {
            waiting(party, lock, () -> {
                condition.await();
                return true;
            });
        }
        signal(lock, notFull);
        awaitWoken(2);
    }

    @Test
    void aSignalIsSentWithTheRelease() {
        Party party = party();
        Task<Boolean> waiter = waiting(party());
        FencedLock lock = party.lock(name);
        lock.lock();
        long before = party.backend().requests(command -> true);
        lock.condition(CONDITION).signal();
        lock.condition(CONDITION).signalAll();
        assertThat(party.backend().requests(command -> true)).isEqualTo(before);
        lock.unlock();
        assertThat(party.backend().requests(command -> true)).isEqualTo(before + 1);
        waiter.get(PROMPT);
    }

    @Test
    void anOwnerThatWaitsSendsItsSignalsFirst() {
        Party party = party();
        Task<Boolean> first = waiting(party);
        FencedLock lock = party.lock(name);
        Task<Boolean> second = waiting(party, lock, () -> {
            lock.condition(CONDITION).signalAll(); // not for itself
            lock.condition(CONDITION).await();
            return true;
        });
        first.get(PROMPT);
        pass(Duration.ofMillis(100));
        assertThat(second.isDone()).isFalse();
        signal(party);
        second.get(PROMPT);
    }

    @Test
    void signalsOutliveAHandover() {
        Party party = party();
        Task<Boolean> waiter = waiting(party());
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.condition(CONDITION).signal();
        Task<Long> next = visitor(lock);
        next.awaitParked();
        lock.unlock(); // the next owner gets the lock in memory
        next.get(PROMPT);
        waiter.get(PROMPT);
    }

    @Test
    void threadsWithFifoOptionsAreServedInTheirOrder() {
        Party party = party();
        FencedLock fifo = party.lock(name, LockOptions.defaults().withFairness(Fairness.FIFO));
        Task<Boolean> waiter = waiting(party, fifo, () -> {
            fifo.condition(CONDITION).await();
            return true;
        });
        signal(party());
        waiter.get(PROMPT);
    }

    @Test
    void aBoundedBufferLosesNothing() {
        int items = 200;
        Deque<Integer> buffer = new ArrayDeque<>();
        List<Integer> taken = new ArrayList<>();
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FencedLock lock = newLock();
            Condition notFull = lock.condition("notFull");
            Condition notEmpty = lock.condition("notEmpty");
            int from = i * items;
            tasks.add(run(() -> {
                for (int item = from; item < from + items; item++) {
                    put(lock, notFull, notEmpty, buffer, item);
                }
            }));
            tasks.add(run(() -> {
                for (int n = 0; n < items; n++) {
                    take(lock, notFull, notEmpty, buffer, taken);
                }
            }));
        }
        tasks.forEach(Task::get);
        assertThat(taken).hasSize(2 * items).doesNotHaveDuplicates();
    }

    private static void put(FencedLock lock, Condition notFull, Condition notEmpty, Deque<Integer> buffer, int item)
            throws InterruptedException {
        lock.lock();
        try {
            while (buffer.size() == 3) {
                notFull.await();
            }
            buffer.add(item);
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    private static void take(
            FencedLock lock, Condition notFull, Condition notEmpty, Deque<Integer> buffer, List<Integer> taken)
            throws InterruptedException {
        lock.lock();
        try {
            while (buffer.isEmpty()) {
                notEmpty.await();
            }
            taken.add(buffer.remove());
            notFull.signal();
        } finally {
            lock.unlock();
        }
    }
}
