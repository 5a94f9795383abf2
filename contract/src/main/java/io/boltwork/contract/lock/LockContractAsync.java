// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Asynchronous acquisitions. */
abstract class LockContractAsync extends ContractPart {

    LockContractAsync(LockSite site) {
        super(site);
    }

    @Test
    void anAsyncLeaseBelongsToItsHandle() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Lease lease = get(lock.acquireAsync());
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.lockName()).isEqualTo(name);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        assertThat(lock.currentLease()).isEmpty();
        assertThat(lock.isLocked()).isTrue();
        lease.release();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void anAsyncLeaseIsNotReentrant() {
        FencedLock lock = newLock();
        Lease lease = get(lock.acquireAsync());
        assertThat(lock.tryLock()).isFalse();
        assertThat(get(lock.tryAcquireAsync(Duration.ZERO))).isEmpty();
        CompletableFuture<Lease> second = lock.acquireAsync().toCompletableFuture();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(second).isNotDone();
        lease.release();
        Lease next = get(second);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        next.release();
    }

    @Test
    void anAsyncRequestWaitsBehindItsOwnThread() {
        FencedLock lock = newLock();
        lock.lock();
        CompletableFuture<Lease> later = lock.acquireAsync().toCompletableFuture();
        assertThat(get(lock.tryAcquireAsync(Duration.ofMillis(50)))).isEmpty();
        assertThat(later).isNotDone();
        lock.unlock();
        get(later).release();
    }

    @Test
    void anAsyncRequestWaitsForItsTurn() {
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Lease> later = newLock().acquireAsync().toCompletableFuture();
        awaitQueued(1);
        assertThat(later).isNotDone();
        theirs.unlock();
        Await.within(PROMPT, "the async waiter is served", later::isDone);
        get(later).release();
    }

    @Test
    void anyThreadMayReleaseAnAsyncLease() {
        FencedLock lock = newLock();
        Lease lease = get(lock.acquireAsync());
        run(lease::release).get();
        assertThat(lease.isValid()).isFalse();
        lease.release();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void releaseAsyncReleasesTheLock() {
        FencedLock lock = newLock();
        Lease lease = get(lock.acquireAsync());
        get(lease.releaseAsync().thenApply(nothing -> true));
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.isLocked()).isFalse();
        get(lease.releaseAsync().thenApply(nothing -> true));
        Lease sync = lock.acquire();
        get(sync.releaseAsync().thenApply(nothing -> true));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void tryAcquireAsyncIsEmptyWhenItsTimeIsOver() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        long start = System.nanoTime();
        assertThat(get(ours.tryAcquireAsync(Duration.ofMillis(200)))).isEmpty();
        assertThat(since(start)).isBetween(Duration.ofMillis(200), TOLERANCE.plusMillis(200));
        awaitQueued(0);
        assertThat(get(ours.tryAcquireAsync(Duration.ofSeconds(-1)))).isEmpty();
        theirs.unlock();
    }

    @Test
    void tryAcquireAsyncTakesAFreeLockAndWaitsForATakenOne() {
        FencedLock lock = newLock();
        Optional<Lease> now = get(lock.tryAcquireAsync(Duration.ZERO));
        assertThat(now).isPresent();
        CompletableFuture<Optional<Lease>> soon =
                newLock().tryAcquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
        awaitQueued(1);
        now.orElseThrow().release();
        get(soon).orElseThrow().release();
    }

    @Test
    void cancellingWithdrawsTheRequestFromTheServer() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        CompletableFuture<Lease> request = ours.acquireAsync().toCompletableFuture();
        awaitQueued(1);
        assertThat(request.cancel(true)).isTrue();
        awaitQueued(0);
        assertThatThrownBy(request::join).isInstanceOf(CancellationException.class);
        theirs.unlock();
        awaitFree();
    }

    @Test
    void cancellingWithdrawsTheRequestFromTheClient() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        CompletableFuture<Lease> first = lock.acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> second = lock.acquireAsync().toCompletableFuture();
        assertThat(first.cancel(false)).isTrue();
        holder.release();
        get(second).release();
        awaitFree();
    }

    @Test
    void cancellingAtAnyTimeLeavesNoHold() {
        FencedLock lock = newLock();
        for (int i = 0; i < 200; i++) {
            CompletableFuture<Lease> request = lock.acquireAsync().toCompletableFuture();
            if (i % 2 == 0) {
                Thread.yield();
            }
            if (!request.cancel(true)) {
                get(request).release();
            }
        }
        FencedLock theirs = newLock();
        theirs.lock();
        theirs.unlock();
        awaitFree();
    }

    @Test
    void asyncRequestsOfAClientAreServedInOrder() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        List<Integer> served = new ArrayList<>(); // guarded by the lock
        List<CompletableFuture<?>> requests = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            int number = i;
            requests.add(ours.acquireAsync()
                    .thenCompose(lease -> {
                        served.add(number);
                        return lease.releaseAsync();
                    })
                    .thenApply(nothing -> true)
                    .toCompletableFuture());
        }
        theirs.unlock();
        requests.forEach(ContractPart::get);
        assertThat(served).hasSize(30).isSorted();
    }

    @Test
    void anAsyncLeaseIsRenewed() {
        Lease held =
                get(newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquireAsync());
        FencedLock theirs = newLock();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        assertThat(held.isValid()).isTrue();
        assertThat(theirs.tryLock()).isFalse();
        held.release();
    }

    @Test
    void anAsyncLeaseIsLostAtItsEnd() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease one = get(lock.acquireAsync());
        assertThat(get(one.whenLost()).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(one.isValid()).isFalse();
        assertThatThrownBy(one::release).isInstanceOf(LeaseLostException.class);
        one.release();
        Lease other = get(lock.acquireAsync());
        get(other.whenLost());
        assertThat(failureOf(other.releaseAsync())).isInstanceOf(LeaseLostException.class);
        Lease next = get(lock.acquireAsync());
        assertThat(next.fencingToken()).isGreaterThan(other.fencingToken());
        next.release();
    }

    @Test
    void asyncCannotInterruptOnLoss() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.defaults().withOnLoss(OnLoss.INTERRUPT));
        assertThatThrownBy(lock::acquireAsync).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> lock.tryAcquireAsync(Duration.ofSeconds(1)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(party.backend().requests()).isZero();
    }

    @Test
    void aCallHoldsTheLockUntilItsStageHasCompleted() {
        FencedLock lock = newLock();
        FencedLock theirs = newLock();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Lease> held = new CompletableFuture<>();
        CompletionStage<String> result = lock.callAsync(PROMPT, lease -> {
            held.complete(lease);
            return work;
        });
        assertThat(get(held).isValid()).isTrue();
        assertThat(theirs.tryLock()).isFalse();
        work.complete("done");
        assertThat(get(result)).isEqualTo("done");
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @Test
    void aCallBeginsAndEndsOnTheClientsExecutor() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(executor("my-callbacks")));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 200; i++) { // on a free lock, so that the lease may be available before the call returns
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            CompletableFuture<Boolean> work = new CompletableFuture<>();
            CompletionStage<Boolean> result = party.lock(name + i).callAsync(PROMPT, lease -> {
                threads.add(Thread.currentThread().getName());
                begun.complete(true);
                return work;
            });
            CompletionStage<Boolean> heard = result.whenComplete(
                    (value, failure) -> threads.add(Thread.currentThread().getName()));
            if (i % 2 == 0) {
                get(begun);
            }
            work.complete(true); // by this thread, which must not end the call
            get(heard);
        }
        assertThat(threads).containsExactly("my-callbacks");
    }

    @Test
    void aCallReleasesTheLockHoweverItsBodyFails() {
        FencedLock lock = newLock();
        assertThat(failureOf(lock.callAsync(PROMPT, lease -> {
                    throw new IllegalArgumentException("at once");
                })))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("at once");
        assertThat(failureOf(lock.callAsync(
                        PROMPT, lease -> CompletableFuture.failedFuture(new IllegalStateException("later")))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("later");
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void aRefusedCallDoesNotBegin() {
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        assertThat(failureOf(newLock().callAsync(Duration.ofMillis(50), lease -> {
                    begun.complete(true);
                    return begun;
                })))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(name);
        assertThat(begun).isNotDone();
        theirs.unlock();
    }

    @Test
    void aCallWhoseLockIsLostFails() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        CompletionStage<String> result =
                lock.callAsync(PROMPT, lease -> lease.whenLost().thenApply(loss -> "lost"));
        assertThat(failureOf(result)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aCallThatTimesOutWhileItWaitsNeverBegins() {
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        CompletableFuture<String> call = newLock()
                .callAsync(Duration.ofMinutes(1), lease -> {
                    begun.complete(true);
                    return CompletableFuture.completedFuture("held");
                })
                .toCompletableFuture();
        awaitQueued(1);
        call.orTimeout(1, TimeUnit.MILLISECONDS);
        assertThat(failureOf(call)).isInstanceOf(TimeoutException.class);
        awaitQueued(0);
        theirs.unlock();
        awaitFree();
        assertThat(begun).isNotDone();
    }

    @Test
    void aStartedCallHoldsTheLockUntilItEnds() {
        FencedLock lock = newLock();
        for (boolean cancelled : List.of(true, false)) {
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> call = lock.callAsync(PROMPT, lease -> {
                        begun.complete(true);
                        return work;
                    })
                    .toCompletableFuture();
            get(begun);
            if (cancelled) {
                call.cancel(true);
            } else {
                assertThat(failureOf(call.orTimeout(1, TimeUnit.MILLISECONDS))).isInstanceOf(TimeoutException.class);
            }
            assertThat(work).isNotDone();
            assertThat(lock.isLocked()).isTrue();
            work.complete("done");
            awaitFree();
        }
    }

    @Test
    void cancellingAWaitingCallWithdrawsIt() {
        FencedLock theirs = heldElsewhere();
        CompletableFuture<String> call = newLock()
                .callAsync(Duration.ofMinutes(1), lease -> CompletableFuture.completedFuture("held"))
                .toCompletableFuture();
        awaitQueued(1);
        assertThat(call.cancel(false)).isTrue();
        awaitQueued(0);
        theirs.unlock();
    }
}
