// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The threads on which users' callbacks run, and the isolation of locks from them. */
abstract class LockContractCallbacks extends ContractPart {

    LockContractCallbacks(LockSite site) {
        super(site);
    }

    @Test
    void callbacksRunOnTheClientsExecutor() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(executor("my-callbacks")));
        FencedLock lock = party.lock(name, LockOptions.fixedLease(FIXED));
        Map<String, String> threads = new ConcurrentHashMap<>();
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Lease> granted = lock.acquireAsync()
                .whenComplete((lease, failure) ->
                        threads.put("granted", Thread.currentThread().getName()))
                .toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        Lease first = get(granted);
        get(first.releaseAsync().thenRun(() -> {}).thenApply(nothing -> true));
        Lease second = get(lock.acquireAsync());
        get(second.whenLost()
                .whenComplete((loss, failure) ->
                        threads.put("lost", Thread.currentThread().getName())));
        assertThatThrownBy(second::release).hasMessageContaining(name);
        assertThat(threads)
                .hasSize(2)
                .allSatisfy((what, thread) -> assertThat(thread).isEqualTo("my-callbacks"));
    }

    @Test
    void callbacksNeverRunOnTheBackendsThreads() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(FIXED));
        Map<String, Boolean> delivering = new ConcurrentHashMap<>();
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Lease> granted = lock.acquireAsync()
                .whenComplete((lease, failure) ->
                        delivering.put("granted", party.backend().isDelivering()))
                .toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        get(get(granted)
                .releaseAsync()
                .whenComplete((nothing, failure) ->
                        delivering.put("released", party.backend().isDelivering()))
                .thenApply(nothing -> true));
        Lease second = get(lock.acquireAsync());
        get(second.whenLost()
                .whenComplete((loss, failure) ->
                        delivering.put("lost", party.backend().isDelivering())));
        assertThatThrownBy(second::release).hasMessageContaining(name);
        assertThat(delivering).hasSize(3).doesNotContainValue(true);
    }

    @Test
    void callbacksOfALockRunOneAfterTheOther() {
        FencedLock theirs = heldElsewhere();
        FencedLock lock = newLock();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Boolean>> requests = java.util.stream.Stream.generate(lock::acquireAsync)
                .limit(20)
                .map(stage -> stage.thenApply(lease -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            lease.release();
                            Thread.yield();
                            running.decrementAndGet();
                            return true;
                        })
                        .toCompletableFuture())
                .toList();
        theirs.unlock();
        requests.forEach(ContractPart::get);
        assertThat(most).hasValue(1);
    }

    @Test
    void aThrowingCallbackHarmsNothingElse() {
        FencedLock theirs = heldElsewhere();
        FencedLock lock = newLock();
        CompletableFuture<Boolean> thrower = lock.acquireAsync()
                .<Boolean>thenApply(lease -> {
                    lease.release();
                    throw new IllegalStateException("the user's own");
                })
                .toCompletableFuture();
        CompletableFuture<Lease> next = lock.acquireAsync().toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        assertThat(failureOf(thrower)).hasMessage("the user's own");
        get(next).release();
    }

    @Test
    void aCallbackMayBlock() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.renewedLease(RENEWED));
        FencedLock theirs = heldElsewhere();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<Boolean> blocking = lock.acquireAsync()
                .thenApply(held -> {
                    entered.countDown();
                    await(gate);
                    held.release();
                    return true;
                })
                .toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        await(entered);
        get(party.lock(name + ":other").acquireAsync()).release();
        Task<Long> waiter = visitor(party.lock(name));
        waiter.awaitParked();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        assertThat(theirs.tryLock()).isFalse();
        gate.countDown();
        get(blocking);
        waiter.get(PROMPT);
    }

    @Test
    void aCallbackMayUseTheSameLock() {
        FencedLock theirs = heldElsewhere();
        FencedLock lock = newLock();
        CompletableFuture<Boolean> reentering = lock.acquireAsync()
                .thenApply(lease -> {
                    assertThat(lock.tryLock()).isFalse();
                    lease.release();
                    lock.lock();
                    try (Lease nested = lock.acquire()) {
                        return nested.isValid();
                    } finally {
                        lock.unlock();
                    }
                })
                .toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        assertThat(get(reentering)).isTrue();
    }

    @Test
    void aCallbackMayChainAnotherRequestForTheSameLock() {
        FencedLock lock = newLock();
        CompletableFuture<Long> second = lock.acquireAsync()
                .thenCompose(lease -> lease.releaseAsync())
                .thenCompose(nothing -> lock.acquireAsync())
                .thenCompose(lease -> lease.releaseAsync().thenApply(nothing -> lease.fencingToken()))
                .toCompletableFuture();
        assertThat(get(second)).isPositive();
    }

    @Test
    void aLossCallbackMayReleaseAndAcquireAgain() {
        FencedLock lock = newLock();
        Lease lease = get(lock.withOptions(LockOptions.fixedLease(FIXED)).acquireAsync());
        CompletableFuture<Boolean> again = lease.whenLost()
                .thenApply(loss -> {
                    assertThatThrownBy(lease::release).hasMessageContaining(name);
                    lock.lock();
                    lock.unlock();
                    return true;
                })
                .toCompletableFuture();
        assertThat(get(again)).isTrue();
    }

    @Test
    void aRefusingExecutorHarmsNoLock() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(callback -> {
            throw new RejectedExecutionException("full");
        }));
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.unlock();
        lock.lock(FIXED);
        Lease lease = lock.currentLease().orElseThrow();
        lease.whenLost();
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
        FencedLock theirs = newLock();
        theirs.lock();
        theirs.unlock();
        assertThatThrownBy(lock::unlock).hasMessageContaining(name);
        lock.lock();
        lock.unlock();
    }
}
