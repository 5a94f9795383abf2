// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Lost holds: how their holders are notified, and what holders may do afterwards. */
abstract class LockContractLosing extends ContractPart {

    LockContractLosing(LockSite site) {
        super(site);
    }

    @Test
    void aLeaseIsLostAtItsEnd() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        Lease lease = lock.acquire();
        Await.until("the lease ends", () -> !lease.isValid());
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThat(lock.currentLease())
                .hasValueSatisfying(view -> assertThat(view.isValid()).isFalse());
        unwinds(lease::release, lock::unlock);
    }

    @Test
    void whenLostTellsLockTokenReasonAndTime() {
        Instant before = Instant.now();
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease lease = lock.acquire();
        LeaseLoss loss = get(lease.whenLost());
        assertThat(loss.lockName()).isEqualTo(name);
        assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(loss.reason()).isEqualTo(Reason.EXPIRED);
        assertThat(loss.when()).isBetween(before, Instant.now());
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::release)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss()).isEqualTo(loss));
    }

    @Test
    void everyLeaseOfALostHoldReportsTheLoss() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease outer = lock.acquire();
        Lease inner = lock.acquire();
        CompletableFuture<LeaseLoss> early = outer.whenLost().toCompletableFuture();
        assertThat(get(inner.whenLost())).isEqualTo(get(early));
        assertThat(get(inner.whenLost())).as("asked after the loss").isEqualTo(get(early));
        unwinds(outer::release, inner::close);
    }

    @Test
    void whenLostNeverCompletesAfterARelease() {
        FencedLock lock = newLock();
        Lease fixed = lock.withOptions(LockOptions.fixedLease(FIXED)).acquire();
        CompletableFuture<LeaseLoss> lossOfFixed = fixed.whenLost().toCompletableFuture();
        fixed.release();
        Lease renewed = lock.withOptions(LockOptions.renewedLease(FIXED)).acquire();
        CompletableFuture<LeaseLoss> lossOfRenewed = renewed.whenLost().toCompletableFuture();
        renewed.release();
        pass(FIXED.multipliedBy(5).dividedBy(4));
        assertThat(lossOfFixed).isNotDone();
        assertThat(lossOfRenewed).isNotDone();
        assertThat(fixed.whenLost().toCompletableFuture()).isNotDone();
    }

    @Test
    void nothingIsAcquiredOnTopOfALostHold() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
        for (ThrowingCallable nested : List.<ThrowingCallable>of(
                lock::lock,
                () -> lock.lock(Duration.ofSeconds(1)),
                lock::lockInterruptibly,
                lock::tryLock,
                () -> lock.tryLock(1, TimeUnit.SECONDS),
                () -> lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                lock::acquire,
                lock::acquireInterruptibly,
                lock::tryAcquire,
                () -> lock.tryAcquire(Duration.ofSeconds(1)))) {
            assertThatThrownBy(nested).isInstanceOf(LeaseLostException.class).hasMessageContaining(name);
        }
        unwinds(lock::unlock);
    }

    @Test
    void everyLevelOfALostHoldThrowsOnceAndThenItIsOver() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        lock.lock();
        Lease lease = lock.acquire();
        long token = lease.fencingToken();
        Await.until("the lease ends", () -> !lease.isValid());
        unwinds(lock::unlock, lease::release, lock::unlock);
        lease.release();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        assertThat(tokenOf(lock)).isGreaterThan(token);
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void anUnlockJustWhenTheLeaseEndsReportsTheLoss() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(millis(10)));
        for (int i = 0; i < 100; i++) {
            lock.lock();
            while (lock.isHeldByCurrentThread()) {
                LockSupport.parkNanos(20_000);
            }
            LockSupport.parkNanos(i * 2_000L); // meanwhile the client itself may notice
            unwinds(lock::unlock);
        }
    }

    @Test
    void aReleaseOfALostLeaseByAnotherThreadThrowsToo() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease lease = lock.acquire();
        Await.until("the lease ends", () -> !lease.isValid());
        assertThat(run(lease::release).failure()).isInstanceOf(LeaseLostException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    void aLostLockIsFreeForOthersBeforeItsHolderUnwinds() {
        FencedLock ours = newLock();
        ours.lock(FIXED);
        FencedLock theirs = newLock();
        Task<Long> waiter = visitor(theirs);
        waiter.get(FIXED.plus(PROMPT));
        assertThat(theirs.tryLock()).isTrue();
        unwinds(ours::unlock);
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        assertThat(ours.tryLock()).isFalse();
        theirs.unlock();
    }

    @Test
    void otherThreadsOfTheClientCanAcquireALostLock() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        Task<Long> next = visitor(lock);
        next.get(FIXED.plus(PROMPT));
        unwinds(lock::unlock);
    }

    @Test
    void aHolderThatLostTheLockToAnotherClientIsTold() {
        FencedLock ours = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        Lease lease = ours.acquire();
        FencedLock theirs = newLock();
        takenBy(theirs);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
        assertThat(lease.isValid()).isFalse();
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThat(tokenOf(theirs)).isGreaterThan(lease.fencingToken());
        unwinds(lease::release);
        harmedNobody(theirs, ours);
    }

    @Test
    void theLossOfATakenFixedLeaseIsReportedBeforeItsEnd() {
        LockOptions fixed = LockOptions.fixedLease(Duration.ofSeconds(3));
        for (Runnable forgets : List.<Runnable>of(site::flush, () -> site.deleteLock(name))) {
            FencedLock ours = newLock().withOptions(fixed);
            Lease lease = ours.acquire();
            FencedLock theirs = newLock();
            Await.until("another client has the lock", () -> {
                forgets.run();
                return theirs.tryLock();
            });
            Await.within(Duration.ofSeconds(1).plus(PROMPT), "the loss", () -> !lease.isValid());
            assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.TAKEN);
            unwinds(lease::release);
            harmedNobody(theirs, ours);
        }
    }

    @Test
    void anUnlockReportsALossThatTheHolderDidNotNotice() {
        FencedLock ours = newLock().withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        ours.lock();
        FencedLock theirs = newLock();
        takenBy(theirs);
        assertThatThrownBy(ours::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
        harmedNobody(theirs, ours);
    }

    @Test
    void anInterruptTellsTheOwnerOfALossIfRequested() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED).withOnLoss(OnLoss.INTERRUPT));
        Task<?> owner = run(() -> {
            lock.lock();
            lock.lock();
            assertThatThrownBy(() -> Thread.sleep(60_000)).isInstanceOf(InterruptedException.class);
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            unwinds(lock::unlock, lock::unlock);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        owner.get();
    }

    @Test
    void whenLostReportsTheLossAfterTheUnwindingToo() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> early = lease.whenLost().toCompletableFuture();
        Await.until("the lease ends", () -> lease.remaining().isZero());
        unwinds(lease::release);
        assertThat(get(early).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void aLeaseReleasedBeforeTheLossIsNotLost() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease outer = lock.acquire();
        Lease inner = lock.acquire();
        CompletableFuture<LeaseLoss> lossOfInner = inner.whenLost().toCompletableFuture();
        inner.release();
        get(outer.whenLost());
        pass(Duration.ofMillis(20));
        assertThat(lossOfInner).isNotDone();
        assertThatThrownBy(inner::ensureValid).isInstanceOf(IllegalStateException.class);
        inner.release();
        unwinds(outer::release);
    }

    @Test
    void threadsBehindALostHoldAreServed() {
        FencedLock ours = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        ours.lock();
        Task<Long> waiter = visitor(ours);
        waiter.awaitParked();
        FencedLock theirs = newLock();
        takenBy(theirs);
        Await.until("the holder is notified", () -> !ours.isHeldByCurrentThread());
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT);
        unwinds(ours::unlock);
    }

    @Test
    void anInterruptReportsATakenLock() {
        FencedLock ours =
                newLock().withOptions(LockOptions.renewedLease(RENEWED).withOnLoss(OnLoss.INTERRUPT));
        CountDownLatch held = new CountDownLatch(1);
        Task<?> owner = run(() -> {
            ours.lock();
            held.countDown();
            assertThatThrownBy(() -> Thread.sleep(60_000)).isInstanceOf(InterruptedException.class);
            unwinds(ours::unlock);
        });
        FencedLock theirs = newLock();
        await(held);
        takenBy(theirs);
        owner.get();
        theirs.unlock();
    }

    @Test
    void noInterruptComesAfterARelease() {
        FencedLock lock =
                newLock().withOptions(LockOptions.fixedLease(millis(20)).withOnLoss(OnLoss.INTERRUPT));
        Task<?> owner = run(() -> {
            for (int i = 0; i < 20; i++) {
                Lease lease = lock.acquire();
                while (lease.remaining().toMillis() > i % 3) { // around the end of the lease
                    Thread.onSpinWait();
                }
                if (catchThrowable(lease::release) != null) {
                    Thread.interrupted(); // the lease was lost first, and the thread was interrupted
                }
                Thread.sleep(millis(10).toMillis());
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
        });
        owner.get();
    }

    @Test
    void noThreadIsInterruptedUnlessRequested() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
        pass(FIXED);
        unwinds(lock::unlock);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Asserts that each step throws an exception that says that the hold was lost. */
    private static void unwinds(Runnable... steps) {
        for (Runnable step : steps) {
            assertThatThrownBy(step::run).isInstanceOf(LeaseLostException.class);
        }
    }

    /** Makes the server forget the holder, so that another client gets the lock before the holder's next renewal. */
    private void takenBy(FencedLock theirs) {
        Await.until("another client has the lock", () -> {
            site.deleteLock(name);
            return theirs.tryLock();
        });
    }

    private void harmedNobody(FencedLock theirs, FencedLock ours) {
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        assertThat(inspect().token()).isEqualTo(tokenOf(theirs));
        assertThat(ours.tryLock()).isFalse();
        theirs.unlock();
        assertThat(ours.tryLock()).isTrue();
        ours.unlock();
    }
}
