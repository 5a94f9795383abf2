// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The methods that an interrupt ends, and the state afterwards: nothing may be left behind. */
abstract class LockContractInterrupting extends ContractPart {

    LockContractInterrupting(LockSite site) {
        super(site);
    }

    @Test
    void lockIgnoresInterruptsAndKeepsTheFlag() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<Boolean> waiter = start(() -> {
            ours.lock();
            boolean flag = Thread.currentThread().isInterrupted();
            ours.unlock();
            return flag && Thread.currentThread().isInterrupted();
        });
        awaitQueued(1);
        waiter.interrupt();
        waiter.awaitParked();
        theirs.unlock();
        assertThat(waiter.get(PROMPT)).isTrue();
    }

    @Test
    void acquireIgnoresInterruptsAndKeepsTheFlag() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        Task<Boolean> waiter = start(() -> {
            Thread.currentThread().interrupt();
            try (Lease lease = lock.acquire()) {
                return lease.isValid() && Thread.currentThread().isInterrupted();
            }
        });
        waiter.awaitParked();
        holder.release();
        assertThat(waiter.get(PROMPT)).isTrue();
    }

    @Test
    void unlockAndReleaseIgnoreInterruptsAndKeepTheFlag() {
        FencedLock lock = newLock();
        lock.lock();
        Thread.currentThread().interrupt();
        lock.unlock();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.isLocked()).isFalse();
        Lease lease = lock.acquire();
        Thread.currentThread().interrupt();
        lease.release();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void tryLockIgnoresInterruptsAndKeepsTheFlag() {
        FencedLock lock = newLock();
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
    }

    @Test
    void lockInterruptiblyEndsAndLeavesNothing() {
        endsAndLeavesNothing(FencedLock::lockInterruptibly);
    }

    @Test
    void acquireInterruptiblyEndsAndLeavesNothing() {
        endsAndLeavesNothing(FencedLock::acquireInterruptibly);
    }

    @Test
    void timedTryLockEndsAndLeavesNothing() {
        endsAndLeavesNothing(lock -> lock.tryLock(1, TimeUnit.MINUTES));
    }

    @Test
    void timedTryLockWithALeaseEndsAndLeavesNothing() {
        endsAndLeavesNothing(lock -> lock.tryLock(Duration.ofMinutes(1), Duration.ofMinutes(1)));
    }

    @Test
    void timedTryAcquireEndsAndLeavesNothing() {
        endsAndLeavesNothing(lock -> lock.tryAcquire(Duration.ofMinutes(1)));
    }

    @Test
    void anInterruptBeforeTheCallEndsItEvenOnAFreeLock() {
        FencedLock lock = newLock();
        for (AcquireForm form : new AcquireForm[] {
            FencedLock::lockInterruptibly,
            FencedLock::acquireInterruptibly,
            free -> free.tryLock(1, TimeUnit.MINUTES),
            free -> free.tryLock(Duration.ofMinutes(1), Duration.ofMinutes(1)),
            free -> free.tryAcquire(Duration.ofMinutes(1))
        }) {
            Thread.currentThread().interrupt();
            assertThat(catchThrowable(() -> form.ask(lock))).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        }
        awaitFree();
    }

    @Test
    void anInterruptedWaiterDisturbsNoOther() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        Task<Long> first = visitor(lock);
        first.awaitParked();
        Task<?> second = run(lock::lockInterruptibly);
        second.awaitParked();
        Task<Long> third = visitor(lock);
        third.awaitParked();
        second.interrupt();
        assertThat(second.failure()).isInstanceOf(InterruptedException.class);
        holder.release();
        first.get(PROMPT);
        third.get(PROMPT);
    }

    @Test
    void anInterruptedWaiterAtTheServerDisturbsNoOther() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<?> first = run(ours::lockInterruptibly);
        awaitQueued(1);
        Task<Long> second = visitor(ours);
        second.awaitParked();
        first.interrupt();
        assertThat(first.failure()).isInstanceOf(InterruptedException.class);
        theirs.unlock();
        second.get(PROMPT);
    }

    @Test
    void interruptsDuringHandoversLeaveNoHold() {
        FencedLock theirs = newLock();
        FencedLock ours = newLock();
        for (int i = 0; i < 50; i++) {
            theirs.lock();
            Task<Boolean> waiter = start(() -> {
                try {
                    ours.lockInterruptibly();
                    ours.unlock();
                    return true;
                } catch (InterruptedException e) {
                    return false;
                }
            });
            awaitQueued(1);
            Task<?> unlocker = run(waiter::interrupt);
            theirs.unlock();
            unlocker.get();
            waiter.get();
        }
        awaitFree();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @FunctionalInterface
    private interface AcquireForm {
        void ask(FencedLock lock) throws Exception;
    }

    private void endsAndLeavesNothing(AcquireForm form) {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<Throwable> waiter = start(() -> {
            Throwable thrown = catchThrowable(() -> form.ask(ours));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(ours.holdCount()).isZero();
            return thrown;
        });
        awaitQueued(1);
        waiter.interrupt();
        assertThat(waiter.get(PROMPT)).isInstanceOf(InterruptedException.class);
        awaitQueued(0);
        theirs.unlock();
        assertThat(ours.tryLock()).isTrue();
        ours.unlock();
    }
}
