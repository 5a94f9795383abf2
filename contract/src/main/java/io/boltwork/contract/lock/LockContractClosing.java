// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Closing a client, which must leave nothing behind. */
abstract class LockContractClosing extends ContractPart {

    LockContractClosing(LockSite site) {
        super(site);
    }

    @Test
    void closingReleasesAllHolds() {
        Party party = party();
        party.lock(name).lock();
        party.lock(name).lock();
        party.lock(name + ":lease").acquire();
        get(party.lock(name + ":async").acquireAsync());
        party.client().close();
        Party others = party();
        for (String each : List.of(name, name + ":lease", name + ":async")) {
            assertThat(others.lock(each).tryLock()).as(each).isTrue();
            others.lock(each).unlock();
        }
    }

    @Test
    void closingServesTheWaitersOfOtherClients() {
        Party party = party();
        party.lock(name).lock();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        party.client().close();
        waiter.get(PROMPT);
    }

    @Test
    void holdersAreTold() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        party.client().close();
        assertThat(get(loss).reason()).isEqualTo(Reason.CLOSED);
        assertThat(get(loss).fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    void aReleaseAfterwardsReportsThatTheHoldWasClosed() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.lock();
        Lease lease = lock.acquire();
        Lease async = get(party.lock(name + ":async").acquireAsync());
        Lease later = get(party.lock(name + ":later").acquireAsync());
        party.client().close();
        assertClosed(lease::release);
        lease.close();
        assertClosed(lock::unlock);
        assertClosed(lock::unlock);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertClosed(async::release);
        get(async.releaseAsync().thenApply(nothing -> true));
        assertThat(failureOf(later.releaseAsync()))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.CLOSED));
    }

    @Test
    void anEarlierLossIsReportedAfterwardsToo() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        party().client().inspector().forceRelease(name);
        Lease view = lock.currentLease().orElseThrow();
        assertThatThrownBy(view::verify).isInstanceOf(LeaseLostException.class);
        party.client().close();
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
    }

    private static void assertClosed(ThrowingCallable leaving) {
        assertThatThrownBy(leaving)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.CLOSED));
    }

    @Test
    void waitersGetAnException() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        FencedLock ours = party.lock(name);
        List<Task<?>> waiters = List.of(
                run(ours::lock),
                run(ours::lockInterruptibly),
                run(ours::acquire),
                run(() -> ours.tryLock(1, TimeUnit.MINUTES)),
                run(() -> ours.tryAcquire(Duration.ofMinutes(1))));
        waiters.forEach(Task::awaitParked);
        CompletableFuture<Lease> async = ours.acquireAsync().toCompletableFuture();
        CompletableFuture<Optional<Lease>> timed =
                ours.tryAcquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
        awaitQueued(1);
        party.client().close();
        assertThat(waiters)
                .allSatisfy(waiter -> assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class));
        assertThat(failureOf(async)).isInstanceOf(ClientClosedException.class);
        assertThat(failureOf(timed)).isInstanceOf(ClientClosedException.class);
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void waitersBehindAHolderOfTheSameClientGetAnException() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Holder holder = hold(lock);
        Task<?> waiter = run(lock::lock);
        waiter.awaitParked();
        party.client().close();
        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        holder.letGo().countDown();
        assertThat(holder.task().failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aClosedClientAcquiresNothing() {
        Party party = party();
        FencedLock lock = party.lock(name);
        party.client().close();
        for (ThrowingCallable form : List.<ThrowingCallable>of(
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
            assertThatThrownBy(form).isInstanceOf(ClientClosedException.class);
        }
        assertThat(outcome(lock::acquireAsync)).isInstanceOf(ClientClosedException.class);
        assertThat(outcome(() -> lock.tryAcquireAsync(Duration.ZERO))).isInstanceOf(ClientClosedException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    void closingTwiceDoesNothing() {
        Party party = party();
        party.lock(name).lock();
        List<Task<?>> closers = List.of(run(party.client()::close), run(party.client()::close));
        closers.forEach(Task::get);
        party.client().close();
    }

    @Test
    void closingDuringHandoversLeavesNothing() {
        for (int i = 0; i < 5; i++) {
            Party leaving = party();
            FencedLock theirs = newLock();
            List<Task<?>> threads = List.of(run(() -> lockUntilClosed(leaving)), run(() -> lockUntilClosed(leaving)));
            for (int j = 0; j < 5; j++) {
                theirs.lock();
                theirs.unlock();
            }
            leaving.client().close();
            threads.forEach(Task::get);
            assertThat(theirs.tryLock()).isTrue();
            theirs.unlock();
        }
    }

    @Test
    void closingDoesNotWaitForTheNextOwner() {
        Party leaving = party();
        FencedLock ours = leaving.lock(name);
        ours.lock();
        Task<Long> next = visitor(newLock());
        awaitQueued(1);
        ours.unlock();
        next.get();
        long start = System.nanoTime();
        leaving.client().close();
        assertThat(since(start)).isLessThan(Slack.of(Duration.ofMillis(700))); // a claim lasts longer than that
    }

    @Test
    void closingWithAFrozenServerTakesAtMostTheShutdownTime() {
        Duration shutdown = millis(500);
        Party party = party(ClientOptions.defaults().withShutdownTime(shutdown));
        FencedLock lock = party.lock(name, LockOptions.renewedLease(millis(1_500)));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        site.freeze();
        long start = System.nanoTime();
        party.client().close();
        assertThat(since(start)).isLessThan(shutdown.plus(TOLERANCE));
        assertThat(get(loss).reason()).isEqualTo(Reason.CLOSED);
        site.thaw();
        Task<Long> visitor = visitor(newLock());
        visitor.get(Duration.ofSeconds(5));
    }

    @Test
    void aClientMayBeClosedFromACallback() {
        Party party = party(ClientOptions.defaults().withShutdownTime(millis(500)));
        FencedLock lock = party.lock(name, LockOptions.fixedLease(FIXED));
        Lease lease = get(lock.acquireAsync());
        CompletableFuture<Boolean> closed = lease.whenLost()
                .thenApply(loss -> {
                    party.client().close();
                    return true;
                })
                .toCompletableFuture();
        assertThat(get(closed)).isTrue();
    }

    private void lockUntilClosed(Party party) {
        FencedLock lock = party.lock(name);
        try {
            for (; ; ) {
                lock.lock();
                lock.unlock();
            }
        } catch (ClientClosedException expected) {
            assertThat(lock.holdCount()).isZero();
        } catch (LeaseLostException closed) {
            assertThat(closed.loss().reason()).isEqualTo(Reason.CLOSED);
        }
    }

    private static Throwable outcome(java.util.function.Supplier<CompletionStage<?>> asking) {
        try {
            return failureOf(asking.get());
        } catch (ClientClosedException e) {
            return e;
        }
    }
}
