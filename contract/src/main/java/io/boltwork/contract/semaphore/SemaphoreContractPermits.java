// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.semaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.PermitsExceededException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.QueryReply;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of sharing, awaiting and releasing permits. */
abstract class SemaphoreContractPermits extends ContractPart {

    SemaphoreContractPermits(LockSite site) {
        super(site);
    }

    private LeasedSemaphore semaphore(int permits) {
        return party().client().semaphore(name, permits);
    }

    private QueryReply.Inspected semaphoreAtServer() {
        return inspect(LockKind.SEMAPHORE, name);
    }

    private void awaitWaiting(int requests) {
        Await.until(
                requests + " requests wait", () -> semaphoreAtServer().queue().size() == requests);
    }

    private static CompletableFuture<Lease> future(LeasedSemaphore semaphore, int permits) {
        return semaphore.acquireAsync(permits).toCompletableFuture();
    }

    // ---- sharing

    @Test
    void clientsShareThePermits() {
        LeasedSemaphore here = semaphore(3);
        LeasedSemaphore there = semaphore(3);
        Lease two = here.acquire(2);
        assertThat(there.tryAcquire(2)).isEmpty();
        assertThat(there.tryAcquire()).isPresent();
        assertThat(here.tryAcquire()).isEmpty();
        assertThat(there.availablePermits()).isZero();
        two.release();
        assertThat(here.availablePermits()).isEqualTo(2);
        assertThat(there.tryAcquire(2)).isPresent();
    }

    @Test
    void aThreadThatAcquiresTwiceHoldsTwoLeases() {
        LeasedSemaphore semaphore = semaphore(2);
        Lease first = semaphore.acquire();
        Lease second = semaphore.acquire();
        assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
        assertThat(semaphore.availablePermits()).isZero();
        first.release();
        assertThat(second.isValid()).isTrue();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aLeaseIsReleasedOnceByAnyThread() {
        LeasedSemaphore semaphore = semaphore(1);
        Lease lease = semaphore.acquire();
        run(lease::release).get();
        lease.release();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void semaphoresAndLocksOfOneNameHaveNothingToDoWithEachOther() {
        heldElsewhere();
        assertThat(semaphore(1).tryAcquire()).isPresent();
    }

    @Test
    void manyThreadsNeverHoldMoreThanThereAre() {
        AtomicInteger held = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        List<Task<?>> threads = new ArrayList<>();
        LeasedSemaphore here = semaphore(4);
        LeasedSemaphore there = semaphore(4);
        int rounds = 60;
        for (int i = 0; i < 12; i++) {
            LeasedSemaphore semaphore = i % 2 == 0 ? here : there;
            int permits = 1 + i % 3;
            threads.add(run(() -> {
                for (int round = 0; round < rounds; round++) {
                    try (Lease lease = semaphore.acquire(permits)) {
                        most.accumulateAndGet(held.addAndGet(permits), Math::max);
                        tokens.add(lease.fencingToken());
                        Thread.yield();
                        held.addAndGet(-permits);
                    }
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(most.get()).isBetween(2, 4);
        assertThat(tokens).hasSize(12 * rounds);
    }

    @Test
    void theOnlyPermitExcludesOthersAsALockDoes() {
        Counter counter = new Counter();
        List<LeasedSemaphore> clients = List.of(semaphore(1), semaphore(1));
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LeasedSemaphore semaphore = clients.get(i % 2);
            threads.add(run(() -> {
                for (int round = 0; round < 30; round++) {
                    try (Lease lease = semaphore.acquire()) {
                        counter.increment();
                        assertThat(lease.isValid()).isTrue();
                    }
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(240);
    }

    @Test
    void anUnusedSemaphoreHasAllItsPermits() {
        LeasedSemaphore semaphore = semaphore(3);
        assertThat(semaphore.availablePermits()).isEqualTo(3);
        assertThat(semaphoreAtServer().capacity()).as("a question sets nothing").isZero();
    }

    // ---- waiting

    @Test
    void aReleaseServesAllThatFit() {
        LeasedSemaphore holder = semaphore(3);
        Lease all = holder.acquire(3);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            waiting.add(future(semaphore(3), 1));
            awaitWaiting(i);
        }
        all.release();
        waiting.subList(0, 3).forEach(ContractPart::get);
        assertThat(waiting.get(3)).isNotDone();
        get(waiting.get(1)).release();
        get(waiting.get(3));
    }

    @Test
    void aLargeRequestIsNotOvertaken() {
        LeasedSemaphore holder = semaphore(3);
        Lease one = holder.acquire();
        Lease another = holder.acquire();
        CompletableFuture<Lease> large = future(semaphore(3), 3);
        awaitWaiting(1);
        assertThat(semaphore(3).tryAcquire())
                .as("one permit is free, but a request waits")
                .isEmpty();
        CompletableFuture<Lease> small = future(semaphore(3), 1);
        awaitWaiting(2);
        one.release();
        pass(Duration.ofMillis(100));
        assertThat(small).isNotDone();
        another.release();
        Lease served = get(large);
        assertThat(small).isNotDone();
        served.release();
        get(small);
    }

    @Test
    void callersOfOneClientAreServedInTheOrderOfTheirCalls() {
        LeasedSemaphore semaphore = semaphore(1);
        Lease held = semaphore.acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(future(semaphore, 1));
        }
        held.release();
        for (int i = 0; i < 5; i++) {
            get(waiting.get(i)).release();
        }
    }

    @Test
    void aTimedRequestEndsInTimeAndLeavesNothing() throws Exception {
        LeasedSemaphore holder = semaphore(2);
        holder.acquire(2);
        LeasedSemaphore waiter = semaphore(2);
        long start = System.nanoTime();
        assertThat(waiter.tryAcquire(Duration.ofMillis(200))).isEmpty();
        assertThat(since(start))
                .isBetween(Duration.ofMillis(200), Duration.ofMillis(200).plus(TOLERANCE));
        awaitWaiting(0);
    }

    @Test
    void aTimedRequestBehindOthersOfItsClientEndsInTime() throws Exception {
        LeasedSemaphore semaphore = semaphore(1);
        semaphore.acquire();
        CompletableFuture<Lease> before = future(semaphore, 1);
        CompletableFuture<Lease> beforeToo = future(semaphore, 1);
        long start = System.nanoTime();
        assertThat(semaphore.tryAcquire(Duration.ofMillis(200))).isEmpty();
        assertThat(since(start)).isLessThan(Duration.ofMillis(200).plus(TOLERANCE));
        before.cancel(true);
        beforeToo.cancel(true);
        awaitWaiting(0);
    }

    @Test
    void anInterruptEndsAWait() {
        semaphore(1).acquire();
        LeasedSemaphore waiter = semaphore(1);
        Task<Lease> task = start(() -> waiter.acquireInterruptibly(1));
        awaitWaiting(1);
        task.interrupt();
        assertThat(task.failure()).isInstanceOf(InterruptedException.class);
        awaitWaiting(0);
    }

    @Test
    void aCancelledRequestIsWithdrawn() {
        Lease held = semaphore(1).acquire();
        CompletableFuture<Lease> waiting = future(semaphore(1), 1);
        awaitWaiting(1);
        waiting.cancel(true);
        awaitWaiting(0);
        held.release();
        assertThat(semaphore(1).tryAcquire()).isPresent();
    }

    @Test
    void fifoCallersOfTwoClientsAreServedInTheOrderOfTheirArrival() {
        LockOptions fifo = LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO);
        Lease held = semaphore(1).acquire();
        LeasedSemaphore here = semaphore(1).withOptions(fifo);
        LeasedSemaphore there = semaphore(1).withOptions(fifo);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(future(i % 2 == 0 ? here : there, 1));
            awaitWaiting(i + 1);
        }
        held.release();
        for (CompletableFuture<Lease> next : waiting) {
            get(next).release();
        }
    }

    // ---- permits

    @Test
    void moreThanThereAreAreRefusedAtOnce() {
        LeasedSemaphore semaphore = semaphore(3);
        assertThatThrownBy(() -> semaphore.acquire(4))
                .isInstanceOfSatisfying(PermitsExceededException.class, refused -> {
                    assertThat(refused.permits()).isEqualTo(4);
                    assertThat(refused.capacity()).isEqualTo(3);
                })
                .hasMessageContaining("3 permits")
                .hasMessageContaining("4");
        assertThat(failureOf(semaphore.acquireAsync(4))).isInstanceOf(PermitsExceededException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(3);
    }

    @Test
    void drainTakesWhatIsFree() {
        LeasedSemaphore semaphore = semaphore(5);
        semaphore.acquire(2);
        Lease rest = semaphore.drain().orElseThrow();
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(semaphore.drain()).isEmpty();
        rest.release();
        assertThat(semaphore.availablePermits()).isEqualTo(3);
    }

    @Test
    void moreServesThoseThatWaitAndFewerAreNotExceeded() {
        LeasedSemaphore semaphore = semaphore(1);
        Lease first = semaphore.acquire();
        CompletableFuture<Lease> waiting = future(semaphore(1), 1);
        awaitWaiting(1);
        semaphore.resize(2);
        Lease second = get(waiting);
        semaphore.resize(1);
        assertThat(first.isValid()).isTrue();
        assertThat(second.isValid()).isTrue();
        assertThat(semaphore.availablePermits()).isZero();
        first.release();
        assertThat(semaphore.tryAcquire()).as("the only permit is held").isEmpty();
        second.release();
        assertThat(semaphore.tryAcquire()).isPresent();
    }

    @Test
    void theNumberThatWasSetCountsForClientsWithAnother() {
        semaphore(2).resize(4);
        LeasedSemaphore other = semaphore(2);
        assertThat(other.availablePermits()).isEqualTo(4);
        assertThat(other.tryAcquire(4)).isPresent();
    }

    @Test
    void theFirstClientsNumberCountsUntilOneIsSet() {
        semaphore(3).acquire().release();
        LeasedSemaphore other = semaphore(5);
        Optional<Lease> three = other.tryAcquire(3);
        assertThat(three).isPresent();
        assertThat(other.tryAcquire()).isEmpty();
    }

    // ---- wrong use

    @Test
    void wrongNumbersAndOptionsAreRefused() {
        LeasedSemaphore semaphore = semaphore(1);
        assertThatThrownBy(() -> semaphore(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("permits must be 1 or more, but is 0");
        assertThatThrownBy(() -> semaphore.acquire(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> semaphore.tryAcquire(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> semaphore.acquireAsync(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> semaphore.resize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> semaphore.withOptions(LockOptions.defaults().withOnLoss(LockOptions.OnLoss.INTERRUPT)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> party().client().semaphore("", 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
