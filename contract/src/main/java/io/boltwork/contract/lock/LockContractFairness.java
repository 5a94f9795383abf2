// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which waiters get the lock with strict fairness. */
abstract class LockContractFairness extends ContractPart {

    private static final LockOptions FIFO = LockOptions.defaults().withFairness(Fairness.FIFO);

    /** The owners that got the lock, in order. Guarded by the lock. */
    private final List<String> served = new ArrayList<>();

    private final List<Long> tokens = new ArrayList<>();

    /** The waiters that must all get the lock in the end. */
    private final List<Task<?>> waiters = new ArrayList<>();

    LockContractFairness(LockSite site) {
        super(site);
    }

    @BeforeEach
    void queued() {
        needsQueue();
    }

    @Test
    void threadsAndClientsAreServedInTheOrderOfArrival() {
        FencedLock theirs = heldElsewhere();
        List<FencedLock> locks = List.of(newFifo(), newFifo(), newFifo());
        for (int i = 0; i < 9; i++) {
            queue("waiter " + i, locks.get(i % 2 + i / 5));
            awaitQueued(i + 1);
        }
        theirs.unlock();
        isServed(Stream.iterate(0, i -> i < 9, i -> i + 1).map(i -> "waiter " + i));
    }

    @Test
    void eachFifoWaiterHasItsOwnEntryAndOthersShareOne() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        queue("batched 1", ours);
        queue("batched 2", ours);
        awaitQueued(1);
        queue("fifo 1", ours.withOptions(FIFO));
        queue("fifo 2", ours.withOptions(FIFO));
        awaitQueued(3);
        assertThat(inspect().queue()).extracting(entry -> entry.request()).doesNotHaveDuplicates();
        theirs.unlock();
        waiters.forEach(Task::get);
        assertThat(served).hasSize(4);
    }

    @Test
    void fifoHoldersExcludeEachOtherAndTheOthers() {
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FencedLock batched = newLock();
            FencedLock fifo = batched.withOptions(FIFO);
            for (int j = 0; j < 4; j++) {
                FencedLock lock = j % 2 == 0 ? batched : fifo;
                threads.add(run(() -> {
                    for (int k = 0; k < 50; k++) {
                        lock.lock();
                        counter.increment();
                        tokens.add(tokenOf(lock));
                        lock.unlock();
                    }
                }));
            }
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(2 * 4 * 50);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aKilledFifoWaiterIsSkipped() {
        FencedLock theirs = heldElsewhere();
        Party doomed = doomedParty();
        List<Task<Throwable>> lost = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            lost.add(start(() -> {
                try {
                    doomed.lock(name, FIFO).lock();
                    return new AssertionError("holds the lock although its client was killed");
                } catch (RuntimeException e) {
                    return e;
                }
            }));
            awaitQueued(i + 1);
        }
        Task<Long> next = visitor(newFifo());
        awaitQueued(3);
        int listeners = site.listeners();
        doomed.kill();
        Await.until("the server knows that they are gone", () -> site.listeners() < listeners);
        theirs.unlock();
        next.get(PROMPT);
        doomed.client().close();
        lost.forEach(task -> assertThat(task.get()).isInstanceOf(RuntimeException.class));
    }

    @Test
    void aWaiterThatGivesUpLeavesNothingAndTheOrderIsKept() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newFifo();
        FencedLock others = newFifo();
        queue("first", ours);
        awaitQueued(1);
        Task<Boolean> impatient = start(() -> ours.tryLock(1_000, TimeUnit.MILLISECONDS));
        awaitQueuedWith(impatient, 2);
        queue("second", others);
        awaitQueuedWith(impatient, 3);
        Task<?> interrupted = run(ours::lockInterruptibly);
        awaitQueuedWith(impatient, 4);
        queue("third", ours);
        awaitQueuedWith(impatient, 5);
        CompletableFuture<Lease> cancelled = others.acquireAsync().toCompletableFuture();
        awaitQueuedWith(impatient, 6);
        queue("fourth", others);
        awaitQueuedWith(impatient, 7);
        interrupted.interrupt();
        assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(impatient.get()).isFalse();
        awaitQueued(4);
        theirs.unlock();
        isServed(Stream.of("first", "second", "third", "fourth"));
    }

    @Test
    void theNextIsServedAfterTheOldestOfItsClientGaveUp() {
        FencedLock theirs = newLock().withOptions(LockOptions.fixedLease(millis(2_500)));
        theirs.lock();
        Party party = party();
        FencedLock ours = party.lock(name, FIFO);
        CompletableFuture<Lease> oldest = ours.acquireAsync().toCompletableFuture();
        awaitQueued(1);
        queue("next", ours);
        awaitQueued(2);
        party.backend().holdBackGrants(); // it must ask by itself now
        oldest.cancel(true);
        awaitQueued(1);
        theirs.unlock();
        waiters.get(0).get(Duration.ofSeconds(8));
    }

    @Test
    void anInMemoryHandoverDoesNotOvertakeAFifoRequest() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock batched = party.lock(name);
        batched.lock();
        Task<?> before = queue("batched before", batched);
        before.awaitParked();
        queue("fifo", batched.withOptions(FIFO));
        awaitQueued(1);
        Task<?> after = queue("batched after", batched);
        after.awaitParked();
        batched.unlock();
        isServed(Stream.of("fifo", "batched before", "batched after"));
    }

    @Test
    void aFifoHoldIsNotPassedOnInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock fifo = party.lock(name, FIFO);
        fifo.lock();
        FencedLock theirs = newLock();
        queue("theirs", theirs);
        awaitQueued(1);
        queue("ours", fifo);
        awaitQueued(2);
        fifo.unlock();
        isServed(Stream.of("theirs", "ours"));
    }

    @Test
    void onlyTheOldestFifoRequestOfAClientAsksAgain() {
        FencedLock theirs = newLock().withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)));
        theirs.lock();
        Party party = party();
        FencedLock ours = party.lock(name, FIFO);
        List<CompletableFuture<Lease>> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(ours.acquireAsync().toCompletableFuture());
        }
        awaitQueued(20);
        long asked = acquires(party);
        assertThat(asked).as("twice if the backend has to prepare first").isBetween(20L, 40L);
        Await.within(Duration.ofSeconds(8), "the oldest asks again", () -> acquires(party) > asked);
        pass(Duration.ofMillis(300));
        assertThat(acquires(party)).isEqualTo(asked + 1);
        requests.forEach(request -> request.cancel(true));
        theirs.unlock();
    }

    @Test
    void allForgottenRequestsAskAtOnceWhenOneLearnsOfIt() {
        needsLockOfItsOwn();
        FencedLock theirs = newLock().withOptions(LockOptions.fixedLease(millis(2_500)));
        theirs.lock();
        Party party = party();
        FencedLock ours = party.lock(name, FIFO);
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            holders.add(holdInTime(ours));
            awaitQueued(i + 1);
        }
        queue("of another client", newFifo());
        awaitQueued(5);
        long asked = acquires(party);
        site.flush();
        theirs.unlock();
        Await.within(Duration.ofSeconds(8), "one of them asks again", () -> acquires(party) > asked);
        // much sooner than by themselves: that would take seconds, and only the oldest would ask
        Await.within(PROMPT, "all of them ask again", () -> acquires(party) >= asked + 4);
        for (Holder holder : holders) {
            holder.token();
            holder.release();
        }
        waiters.forEach(Task::get);
        awaitFree();
    }

    @Test
    void allAreServedEvenIfConnectionsBreak() {
        FencedLock theirs = heldElsewhere();
        List<FencedLock> locks = List.of(newFifo(), newFifo());
        for (int i = 0; i < 6; i++) {
            queue("waiter " + i, locks.get(i % 2));
            awaitQueued(i + 1);
        }
        site.disconnectAll();
        theirs.unlock();
        waiters.forEach(waiter -> waiter.get(Duration.ofSeconds(8)));
        assertThat(served).hasSize(6);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void asyncRequestsAreServedInTheOrderOfArrival() {
        FencedLock theirs = heldElsewhere();
        List<FencedLock> locks = List.of(newFifo(), newFifo());
        List<CompletableFuture<Boolean>> requests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String who = "request " + i;
            requests.add(locks.get(i % 2)
                    .acquireAsync()
                    .thenCompose(lease -> {
                        served.add(who);
                        tokens.add(lease.fencingToken());
                        return lease.releaseAsync();
                    })
                    .thenApply(nothing -> true)
                    .toCompletableFuture());
            awaitQueued(i + 1);
        }
        theirs.unlock();
        requests.forEach(ContractPart::get);
        isServed(Stream.iterate(0, i -> i < 6, i -> i + 1).map(i -> "request " + i));
    }

    @Test
    void tryLockOvertakesNoFifoWaiter() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        FencedLock ours = party.lock(name, FIFO);
        Holder waiter = holdInTime(ours);
        awaitQueued(1);
        long requests = party.backend().requests();
        assertThat(ours.tryLock()).isFalse();
        assertThat(party.lock(name).tryLock()).isFalse();
        assertThat(party.backend().requests()).as("asked for by others here").isEqualTo(requests);
        FencedLock third = newFifo();
        assertThat(third.tryLock()).isFalse();
        assertThat(inspect().queue()).hasSize(1);
        theirs.unlock();
        waiter.token();
        assertThat(third.tryLock()).isFalse();
        waiter.release();
        assertThat(third.tryLock()).isTrue();
        third.unlock();
    }

    @Test
    void aFifoHolderNestsWithoutQueueing() {
        Party party = party();
        FencedLock ours = party.lock(name, FIFO);
        ours.lock();
        long token = tokenOf(ours);
        queue("next", newFifo());
        awaitQueued(1);
        long requests = party.backend().requests();
        ours.lock();
        assertThat(ours.tryLock()).isTrue();
        try (Lease nested = ours.acquire()) {
            assertThat(nested.fencingToken()).isEqualTo(token);
            assertThat(ours.holdCount()).isEqualTo(4);
        }
        assertThat(party.lock(name).tryLock()).as("nested, by other options").isTrue();
        for (int i = 0; i < 3; i++) {
            ours.unlock();
        }
        assertThat(party.backend().requests()).isEqualTo(requests);
        assertThat(served).isEmpty();
        ours.unlock();
        isServed(Stream.of("next"));
    }

    /** Waits until that many requests are in the queue, or one less if the impatient one has already given up. */
    private void awaitQueuedWith(Task<Boolean> impatient, int requests) {
        Await.until(
                requests + " requests in the queue of " + name,
                () -> inspect().queue().size() == requests - (impatient.isDone() ? 1 : 0));
    }

    private FencedLock newFifo() {
        return newLock().withOptions(FIFO);
    }

    /** Starts a thread that waits for the lock and records that it got the lock. */
    private Task<?> queue(String who, FencedLock lock) {
        Task<?> waiter = run(() -> {
            lock.lock();
            served.add(who);
            tokens.add(tokenOf(lock));
            lock.unlock();
        });
        waiters.add(waiter);
        return waiter;
    }

    private void isServed(Stream<String> order) {
        waiters.forEach(Task::get);
        assertThat(served).containsExactlyElementsOf(order.toList());
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    private static long acquires(Party party) {
        return party.backend()
                .requests(command -> command instanceof Command.Acquire
                        || command instanceof Command.Release release && release.next() != null);
    }
}
