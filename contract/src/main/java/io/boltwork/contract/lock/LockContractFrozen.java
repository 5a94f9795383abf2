// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each method while the server does not answer, and the state afterwards. */
abstract class LockContractFrozen extends ContractPart {

    LockContractFrozen(LockSite site) {
        super(site);
    }

    @Test
    void tryLockFailsAfterTheCommandTimeout() {
        Party party = party();
        FencedLock lock = party.lock(name);
        site.freeze();
        Task<?> other = run(() -> failsWithin(party.commandTimeout(), party.lock(name + ":other")::tryAcquire));
        failsWithin(party.commandTimeout(), lock::tryLock);
        other.get();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void isLockedFailsAfterTheCommandTimeout() {
        Party party = party();
        FencedLock lock = party.lock(name);
        site.freeze();
        failsWithin(party.commandTimeout(), lock::isLocked);
    }

    @Test
    void lockWaitsThroughAnOutage() {
        Party party = party();
        FencedLock lock = party.lock(name);
        site.freeze();
        Task<Long> waiter = visitor(lock);
        pass(party.commandTimeout().plus(party.commandTimeout().dividedBy(2)));
        assertThat(waiter.isDone()).isFalse();
        site.thaw();
        waiter.get(Duration.ofSeconds(5));
    }

    @Test
    void aWaiterInTheQueueIsServedAfterAnOutage() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        Task<Long> waiter = visitor(party.lock(name));
        awaitQueued(1);
        site.freeze();
        pass(party.commandTimeout().multipliedBy(5).dividedBy(4));
        site.thaw();
        theirs.unlock();
        waiter.get(Duration.ofSeconds(8));
    }

    @Test
    void lockFailsWhenTheOutageOutlastsItsPatience() {
        Duration patience = millis(1_200);
        Party party =
                party(ClientOptions.defaults().withOutagePatience(patience).withShutdownTime(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        site.freeze();
        CompletionStage<Lease> async = lock.acquireAsync();
        Task<?> acquirer = run(() -> failsWithin(patience.plus(party.commandTimeout()), lock::acquire));
        failsWithin(patience.plus(party.commandTimeout()), lock::lock);
        acquirer.get();
        assertThat(failureOf(async)).isInstanceOf(BackendException.class);
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void timedFormsFailByTheirDeadlineIfNothingWasAnswered() {
        Party party = party();
        FencedLock lock = party.lock(name);
        site.freeze();
        Duration wait = Duration.ofMillis(300);
        failsWithin(wait, () -> lock.tryLock(300, TimeUnit.MILLISECONDS));
        failsWithin(wait, () -> lock.tryLock(wait, Duration.ofMinutes(1)));
        failsWithin(wait, () -> lock.tryAcquire(wait));
        assertThat(failureOf(lock.tryAcquireAsync(wait))).isInstanceOf(BackendException.class);
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void timedFormsAreRefusedByTheirDeadlineIfTheLockWasTaken() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<Duration> waiter = start(() -> {
            long start = System.nanoTime();
            assertThat(ours.tryLock(1_000, TimeUnit.MILLISECONDS)).isFalse();
            return since(start);
        });
        awaitQueued(1);
        site.freeze();
        assertThat(waiter.get()).isBetween(Duration.ofMillis(1_000), TOLERANCE.plusMillis(1_000));
        site.thaw();
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void waitingBehindAThreadOfTheSameClientIsADefiniteAnswer() throws Exception {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        site.freeze();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(get(lock.tryAcquireAsync(Duration.ofMillis(200)))).isEmpty();
        site.thaw();
        holder.release();
    }

    @Test
    void nestingNeedsNoServer() {
        FencedLock lock = newLock();
        lock.lock();
        site.freeze();
        assertThat(lock.tryLock()).isTrue();
        lock.lock();
        lock.unlock();
        lock.unlock();
        site.thaw();
        lock.unlock();
    }

    @Test
    void aHandoverNeedsNoServer() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        lock.lock();
        Holder waiter = holdInTime(lock);
        waiter.task().awaitParked();
        site.freeze();
        lock.unlock();
        waiter.token();
        site.thaw();
        waiter.release();
    }

    @Test
    void aWaiterBehindAnUnansweredUnlockIsServedAfterTheOutage() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ZERO));
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
        lock.lock();
        Task<Long> waiter = visitor(lock);
        waiter.awaitParked();
        site.freeze();
        lock.unlock();
        assertThat(waiter.isDone()).isFalse();
        site.thaw();
        waiter.get(Duration.ofSeconds(5));
    }

    @Test
    void aClientGetsTheLockAgainIfTheServerMissedItsUnlock() {
        FencedLock lock = newLock();
        lock.lock();
        long token = tokenOf(lock);
        site.freeze();
        lock.unlock();
        Holder again = holdInTime(lock);
        again.task().awaitParked();
        site.thaw();
        assertThat(again.token()).isGreaterThan(token);
        again.release();
    }

    @Test
    void anInterruptEndsAWaitWithoutAServer() {
        FencedLock lock = newLock();
        site.freeze();
        Task<?> waiter = run(lock::lockInterruptibly);
        waiter.awaitParked();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void unlockReturnsInTheCommandTimeoutAndTheLockIsFreeLater() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        site.freeze();
        long start = System.nanoTime();
        lock.unlock();
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void releaseReturnsInTheCommandTimeoutAndTheLockIsFreeLater() {
        Party party = party();
        Lease lease = party.lock(name).acquire();
        Lease async = get(party.lock(name + ":async").acquireAsync());
        site.freeze();
        long start = System.nanoTime();
        CompletableFuture<Boolean> released =
                async.releaseAsync().thenApply(nothing -> true).toCompletableFuture();
        lease.release();
        get(released);
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void aLeaseThatCannotBeRenewedIsLostAtItsDeadline() {
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(RENEWED));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        site.freeze();
        Await.within(RENEWED, "the lease ends", () -> !lease.isValid());
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(get(loss).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        site.thaw();
        anotherClientGetsTheLock();
    }

    @Test
    void aLeaseOutlivesAShorterOutage() {
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(millis(2_000)));
        Lease lease = lock.acquire();
        site.freeze();
        pass(millis(700));
        site.thaw();
        pass(millis(1_400));
        assertThat(lease.isValid()).isTrue();
        FencedLock theirs = newLock();
        assertThat(theirs.tryLock()).isFalse();
        lease.release();
    }

    private void failsWithin(Duration bound, ThrowingCallable asking) {
        long start = System.nanoTime();
        assertThatThrownBy(asking)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue());
        assertThat(since(start)).isLessThan(bound.plus(TOLERANCE));
    }

    private void anotherClientGetsTheLock() {
        FencedLock theirs = newLock();
        Task<Long> visitor = visitor(theirs);
        visitor.get(Duration.ofSeconds(5));
    }
}
