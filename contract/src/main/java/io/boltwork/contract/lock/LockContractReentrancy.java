// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nested acquisitions by one thread, which are one hold, and the rules for releasing it. */
abstract class LockContractReentrancy extends ContractPart {

    LockContractReentrancy(LockSite site) {
        super(site);
    }

    @Test
    void nestedLocksAreOneHoldWithACount() {
        FencedLock lock = newLock();
        for (int depth = 1; depth <= 5; depth++) {
            lock.lock();
            assertThat(lock.holdCount()).isEqualTo(depth);
        }
        for (int depth = 5; depth >= 1; depth--) {
            assertThat(lock.holdCount()).isEqualTo(depth);
            assertThat(lock.isLocked()).isTrue();
            lock.unlock();
        }
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void nestedHoldsHaveOneToken() {
        FencedLock lock = newLock();
        try (Lease outer = lock.acquire();
                Lease inner = lock.acquire()) {
            lock.lock();
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken()).isEqualTo(tokenOf(lock));
            lock.unlock();
        }
    }

    @Test
    void nestedAcquisitionsOfAnyKindTakeNoRequest() throws Exception {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        long before = party.backend().requests();
        lock.lock();
        lock.lock(Duration.ofSeconds(1));
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(1))).isTrue();
        assertThat(lock.holdCount()).isEqualTo(7);
        lock.acquire().close();
        lock.acquireInterruptibly().close();
        lock.tryAcquire().orElseThrow().close();
        lock.tryAcquire(Duration.ofSeconds(1)).orElseThrow().close();
        for (int i = 0; i < 6; i++) {
            lock.unlock();
        }
        assertThat(party.backend().requests()).isEqualTo(before);
        lock.unlock();
        assertThat(party.backend().requests()).isEqualTo(before + 1);
    }

    @Test
    void locksAndLeasesOfAThreadAreOneHold() {
        FencedLock lock = newLock();
        lock.lock();
        Lease lease = lock.acquire();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(lease.fencingToken()).isEqualTo(tokenOf(lock));
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isLocked()).isTrue();
        lease.release();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void theLeaseMayEndBeforeTheLock() {
        FencedLock lock = newLock();
        Lease lease = lock.acquire();
        lock.lock();
        lease.release();
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isLocked()).isTrue();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void unlockReleasesNoLease() {
        FencedLock lock = newLock();
        Lease lease = lock.acquire();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lease.isValid()).isTrue();
        lock.lock();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        lease.release();
    }

    @Test
    void unlockingAnUnheldLockNamesLockAndThread() {
        FencedLock lock = newLock();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(Thread.currentThread().getName());
        lock.lock();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void unlockingAnotherThreadsLockNamesTheHolder() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(Thread.currentThread().getName())
                .hasMessageContaining(holder.task().name());
        assertThat(lock.isLocked()).isTrue();
        holder.release();
    }

    @Test
    void unlockingAnotherClientsLockChangesNothing() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        assertThatThrownBy(ours::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        assertThat(ours.tryLock()).isFalse();
        theirs.unlock();
    }

    @Test
    void releasingTwiceDoesNothing() {
        FencedLock lock = newLock();
        Lease outer = lock.acquire();
        Lease inner = lock.acquire();
        inner.release();
        inner.release();
        inner.close();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(outer.isValid()).isTrue();
        outer.release();
        outer.release();
        try (Lease next = lock.acquire()) {
            outer.close();
            get(outer.releaseAsync());
            assertThat(next.isValid()).isTrue();
            assertThat(lock.isLocked()).isTrue();
        }
    }

    @Test
    void aLeaseMayBeReleasedByAnotherThread() {
        FencedLock lock = newLock();
        Lease lease = lock.acquire();
        run(lease::release).get();
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        FencedLock theirs = newLock();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @Test
    void aThreadStaysOwnerIfAnotherReleasesOneOfItsLeases() {
        FencedLock lock = newLock();
        lock.lock();
        Lease lease = lock.acquire();
        run(lease::release).get();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void theOptionsOfTheOutermostHoldCount() {
        FencedLock lock = newLock();
        lock.lock(FIXED);
        Lease renewed = lock.acquire();
        assertThat(renewed.remaining()).isLessThanOrEqualTo(FIXED);
        Await.until("a fixed lease ends although a renewed one is nested", () -> !renewed.isValid());
        assertThatThrownBy(renewed::release).hasMessageContaining(name);
        assertThatThrownBy(lock::unlock).hasMessageContaining(name);
    }

    @Test
    void aNestedFixedLeaseShortensNothing() {
        FencedLock lock = newLock();
        FencedLock theirs = newLock();
        lock.withOptions(LockOptions.renewedLease(RENEWED)).lock();
        lock.lock(millis(20));
        pass(RENEWED.multipliedBy(5).dividedBy(4));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(theirs.tryLock()).isFalse();
        lock.unlock();
        pass(RENEWED.dividedBy(4));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void currentLeaseIsAViewOfTheHold() {
        FencedLock lock = newLock();
        assertThat(lock.currentLease()).isEmpty();
        lock.lock();
        Lease view = lock.currentLease().orElseThrow();
        assertThat(view.isValid()).isTrue();
        assertThat(view.lockName()).isEqualTo(name);
        assertThat(view.remaining()).isPositive();
        view.ensureValid();
        view.release();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(start(lock::currentLease).get()).isEmpty();
        lock.unlock();
        assertThat(lock.currentLease()).isEmpty();
        assertThat(view.isValid()).isFalse();
    }

    @Test
    void viewsOfALockShareTheHold() {
        Party party = party();
        FencedLock one = party.lock(name);
        FencedLock other = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
        one.lock();
        assertThat(other.isHeldByCurrentThread()).isTrue();
        assertThat(other.tryLock()).isTrue();
        assertThat(one.holdCount()).isEqualTo(2);
        other.unlock();
        other.unlock();
        assertThat(one.isLocked()).isFalse();
    }

    @Test
    void viewsAreEqualByClientAndName() {
        Party party = party();
        FencedLock lock = party.lock(name);
        assertThat(lock)
                .isEqualTo(party.lock(name))
                .hasSameHashCodeAs(party.lock(name))
                .isEqualTo(lock.withOptions(LockOptions.fixedLease(Duration.ofSeconds(1))))
                .hasSameHashCodeAs(lock.withOptions(LockOptions.fixedLease(Duration.ofSeconds(1))))
                .isNotEqualTo(party.lock(name + ":other"))
                .isNotEqualTo(newLock());
    }
}
