// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.condition;

import io.boltwork.FencedLock;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;

/** Threads that wait for conditions. */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
abstract class ConditionContractPart extends ContractPart {

    static final String CONDITION = "changed";

    /** The names of the threads that were woken, in their order. */
    final List<String> woken = new CopyOnWriteArrayList<>();

    ConditionContractPart(LockSite site) {
        super(site);
    }

    /** A way to wait for a condition. */
    interface Wait<T> {
        T run() throws Exception;
    }

    /** Returns whether a command lets a request begin to wait for a condition. */
    static boolean beginsToWait(Command<?> command) {
        return command instanceof Command.Release release
                && release.next() != null
                && release.next().condition() != null;
    }

    /** Starts a thread that holds the lock under test and waits, and returns once it waits. */
    final <T> Task<T> waiting(Party party, FencedLock lock, Wait<T> wait) {
        long before = party.backend().requests(ConditionContractPart::beginsToWait);
        Task<T> task = start(() -> {
            lock.lock();
            try {
                T result = wait.run();
                woken.add(Thread.currentThread().getName());
                return result;
            } finally {
                lock.unlock();
            }
        });
        awaitWaits(party, before + 1);
        return task;
    }

    /** Waits until that many waits of a client have begun. */
    final void awaitWaits(Party party, long waits) {
        Await.until(waits + " waits", () -> party.backend().requests(ConditionContractPart::beginsToWait) >= waits);
        FencedLock lock = party.lock(name);
        lock.lock(); // granted after the release with which the last wait has begun
        lock.unlock();
    }

    /** Starts a thread that waits for a condition without a limit, and returns once it waits. */
    final Task<Boolean> waiting(Party party, String condition) {
        FencedLock lock = party.lock(name);
        return waiting(party, lock, () -> {
            lock.condition(condition).await();
            return lock.isHeldByCurrentThread();
        });
    }

    final Task<Boolean> waiting(Party party) {
        return waiting(party, CONDITION);
    }

    /** Signals while holding the lock. */
    static void signal(FencedLock lock, Condition condition) {
        lock.lock();
        try {
            condition.signal();
        } finally {
            lock.unlock();
        }
    }

    final void signal(Party party) {
        FencedLock lock = party.lock(name);
        signal(lock, lock.condition(CONDITION));
    }

    final void signalAll(Party party) {
        FencedLock lock = party.lock(name);
        lock.lock();
        try {
            lock.condition(CONDITION).signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until that many threads were woken. */
    final void awaitWoken(int threads) {
        Await.within(PROMPT, threads + " woken threads, not " + woken, () -> woken.size() == threads);
    }
}
