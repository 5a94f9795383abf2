// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.QueryReply;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The duration of holds, and their restoration after a server has forgotten them. */
abstract class LockContractLeasing extends ContractPart {

    LockContractLeasing(LockSite site) {
        super(site);
    }

    @Test
    void aLeaseTellsHowMuchOfItIsLeft() {
        FencedLock lock = newLock();
        try (Lease standard = lock.acquire()) {
            assertThat(standard.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        }
        FencedLock fixed = lock.withOptions(LockOptions.fixedLease(Duration.ofMinutes(5)));
        Lease lease = fixed.acquire();
        assertThat(lease.remaining()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
        assertThat(lease.lockName()).isEqualTo(name);
        lease.release();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void aReleasedLeaseIsNotValid() {
        Lease lease = newLock().acquire();
        lease.ensureValid();
        assertThat(lease.isValid()).isTrue();
        long token = lease.fencingToken();
        lease.release();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.fencingToken()).isEqualTo(token);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRenewedLeaseOutlivesItsLengthManyTimes() {
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        FencedLock theirs = newLock();
        Lease lease = lock.acquire();
        long token = lease.fencingToken();
        for (int i = 0; i < 6; i++) {
            pass(RENEWED.dividedBy(2));
            assertThat(lease.isValid()).isTrue();
            assertThat(theirs.tryLock()).isFalse();
        }
        assertThat(lease.fencingToken()).isEqualTo(token);
        lease.release();
    }

    @Test
    void aShortRenewedLeaseGotByWaitingIsRenewedToo() {
        FencedLock theirs = heldElsewhere();
        Holder waiter = holdInTime(newLock().withOptions(LockOptions.renewedLease(RENEWED)));
        awaitQueued(1);
        theirs.unlock();
        waiter.token();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        assertThat(theirs.tryLock()).isFalse();
        waiter.release();
    }

    @Test
    void aHoldByGrantOutlivesItsClaim() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Holder waiter = holdInTime(ours);
        awaitQueued(1);
        theirs.unlock();
        long token = waiter.token();
        Await.until("the claim is confirmed", () -> !inspect().claim());
        QueryReply.Inspected confirmed = inspect();
        assertThat(confirmed.token()).isEqualTo(token);
        assertThat(confirmed.untilMillis() - confirmed.server().millis()).isGreaterThan(20_000);
        waiter.release();
    }

    @Test
    void manyHoldsOfAClientAreAllRenewed() {
        Party party = party();
        for (int i = 0; i < 150; i++) {
            party.lock(name + ":" + i, LockOptions.renewedLease(RENEWED)).lock();
        }
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        for (int i = 0; i < 150; i++) {
            FencedLock lock = party.lock(name + ":" + i);
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void aFixedLeaseIsNeverRenewed() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock(FIXED);
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
        assertThat(party.backend().requests(ContractPart::prolongs)).isZero();
        assertThatThrownBy(lock::unlock).hasMessageContaining(name);
    }

    @Test
    void noOtherOwnerGetsALockWhoseLeaseIsValid() {
        FencedLock ours = newLock();
        FencedLock theirs = newLock();
        for (int i = 0; i < 5; i++) {
            Lease lease = ours.withOptions(LockOptions.fixedLease(millis(150))).acquire();
            Task<Boolean> successor = start(() -> {
                theirs.lock();
                boolean overlap = lease.isValid();
                theirs.unlock();
                return overlap;
            });
            assertThat(successor.get()).isFalse();
            assertThatThrownBy(lease::release).hasMessageContaining(name);
        }
    }

    @Test
    void aLeaseIsRenewedEvenIfItsThreadHasEnded() {
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        Task<Lease> acquirer = start(lock::acquire);
        Lease lease = acquirer.get();
        acquirer.awaitEnd();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        assertThat(lease.isValid()).isTrue();
        lease.release();
        awaitFree();
    }

    @Test
    void theLockOfAThreadThatEndedIsFreeAfterItsLease() {
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        Task<?> forgetful = run(lock::lock);
        forgetful.get();
        FencedLock theirs = newLock();
        Task<Long> waiter = visitor(theirs);
        waiter.get(RENEWED.plus(PROMPT));
    }

    @Test
    void aDeletedHoldIsRestoredWithItsToken() {
        isRestoredAfter(() -> site.deleteLock(name));
    }

    @Test
    void aFlushedHoldIsRestoredWithItsToken() {
        isRestoredAfter(site::flush);
    }

    @Test
    void aHoldIsRestoredAtAReplacementServer() {
        Lease lease =
                newLock().withOptions(LockOptions.renewedLease(millis(6_000))).acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        site.restartEmpty();
        awaitOwner(lease);
        assertThat(lease.isValid()).isTrue();
        assertThat(loss).isNotDone();
        lease.release();
        awaitFree();
    }

    @Test
    void releasingAForgottenHoldIsClean() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        site.deleteLock(name);
        lease.release();
        assertThat(loss).isNotDone();
        try (Lease next = lock.acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
    }

    private void isRestoredAfter(Runnable oblivion) {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        oblivion.run();
        awaitOwner(lease);
        FencedLock theirs = newLock();
        pass(RENEWED);
        assertThat(theirs.tryLock()).isFalse();
        assertThat(lease.isValid()).isTrue();
        assertThat(loss).isNotDone();
        lease.release();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    private void awaitOwner(Lease lease) {
        Await.until("the hold is there again", () -> inspect().owner() != null);
        assertThat(inspect().token()).isEqualTo(lease.fencingToken());
    }
}
