// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.MultiLock;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiting for members that are taken: in one order, with one limit of time, and without deadlocks. */
abstract class MultiLockContractWaiting extends MultiLockContractPart {

    MultiLockContractWaiting(LockSite site) {
        super(site);
    }

    @Test
    void aWaiterHoldsOnlyMembersBeforeTheTakenOne() {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(second);
        taken.lock();
        Holder waiter = holdsAllInTime(all);
        awaitQueued(second);
        assertTaken(first);
        assertFree(third);
        assertThat(waiter.isHolding()).isFalse();
        taken.unlock();
        waiter.token();
        assertTaken(first, second, third);
        waiter.release();
        assertFree(first, second, third);
    }

    @Test
    void anAsyncWaiterHoldsOnlyMembersBeforeTheTakenOne() {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(second);
        taken.lock();
        CompletableFuture<Lease> wish = all.acquireAsync().toCompletableFuture();
        awaitQueued(second);
        assertTaken(first);
        assertFree(third);
        taken.unlock();
        Lease lease = get(wish);
        assertTaken(first, second, third);
        lease.release();
    }

    @Test
    void theTimeLimitIsForAllMembers() throws InterruptedException {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(third);
        taken.lock();
        Duration wait = millis(500);
        long start = System.nanoTime();
        assertThat(all.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        assertThat(since(start)).isBetween(wait, wait.plus(TOLERANCE));
        assertThat(all.tryAcquire(wait)).isEmpty();
        assertThat(get(all.tryAcquireAsync(wait))).isEmpty();
        assertThat(all.members()).noneMatch(FencedLock::isHeldByCurrentThread);
        taken.unlock();
        assertFree(first, second, third);
        assertThat(all.tryLock(PROMPT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        all.unlock();
    }

    @Test
    void anInterruptLeavesNothing() {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(third);
        taken.lock();
        Task<?> waiter = run(all::lockInterruptibly);
        awaitQueued(third);
        assertTaken(first, second);
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        Task<?> second = run(all::acquireInterruptibly);
        awaitQueued(third);
        second.interrupt();
        assertThat(second.failure()).isInstanceOf(InterruptedException.class);
        taken.unlock();
        assertFree(first, this.second, third);
    }

    @Test
    void lockIgnoresAnInterruptAndKeepsItsFlag() {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(second);
        taken.lock();
        Task<Boolean> waiter = start(() -> {
            all.lock();
            boolean flag = Thread.interrupted();
            all.unlock();
            return flag;
        });
        awaitQueued(second);
        waiter.interrupt();
        taken.unlock();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void anInterruptedThreadIsRefusedAtOnce() {
        MultiLock all = all(party());
        Thread.currentThread().interrupt();
        assertThatThrownBy(all::lockInterruptibly).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> all.tryAcquire(PROMPT)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void oppositeOrdersDoNotDeadlock() {
        int rounds = 60;
        Counter counter = new Counter();
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Party party = party();
            FencedLock[] members = i % 2 == 0
                    ? new FencedLock[] {party.lock(first), party.lock(second), party.lock(third)}
                    : new FencedLock[] {party.lock(third), party.lock(first), party.lock(second)};
            MultiLock all = party.client().multiLock(members);
            tasks.add(run(() -> {
                for (int round = 0; round < rounds; round++) {
                    all.lock();
                    try {
                        counter.increment();
                    } finally {
                        all.unlock();
                    }
                }
            }));
        }
        tasks.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(4 * rounds);
    }

    @Test
    void overlappingPairsAllGetTheirTurns() {
        int philosophers = 5;
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < philosophers; i++) {
            Party party = party();
            FencedLock left = party.lock(name + ":fork:" + i);
            FencedLock right = party.lock(name + ":fork:" + (i + 1) % philosophers);
            MultiLock both = LockClient.multiLockOf(left, right);
            boolean async = i == 0;
            tasks.add(run(() -> {
                for (int meal = 0; meal < 40; meal++) {
                    Lease lease = async ? get(both.acquireAsync()) : both.acquire();
                    lease.ensureValid();
                    lease.release();
                }
            }));
        }
        tasks.forEach(Task::get);
    }

    @Test
    void membersLostWhileWaitingAreAcquiredAgain() {
        Party party = party();
        MultiLock both = party.client().multiLock(party.lock(first, ENDS), party.lock(second));
        FencedLock taken = newLockNamed(second);
        taken.lock();
        Task<Boolean> waiter = start(() -> {
            try (Lease lease = both.acquire()) {
                return lease.isValid();
            }
        });
        awaitQueued(second);
        pass(FIXED.plusMillis(50));
        assertFree(first);
        taken.unlock();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void membersLostWhileWaitingAsynchronouslyAreAcquiredAgain() {
        Party party = party();
        MultiLock both = party.client().multiLock(party.lock(first, ENDS), party.lock(second));
        FencedLock taken = newLockNamed(second);
        taken.lock();
        CompletableFuture<Boolean> valid = both.callAsync(
                        Duration.ofSeconds(60), lease -> CompletableFuture.completedFuture(lease.isValid()))
                .toCompletableFuture();
        awaitQueued(second);
        pass(FIXED.plusMillis(50));
        assertFree(first);
        taken.unlock();
        assertThat(get(valid)).isTrue();
    }

    /** Starts a thread that will hold all members. */
    final Holder holdsAllInTime(MultiLock lock) {
        CompletableFuture<Long> held = new CompletableFuture<>();
        CountDownLatch letGo = new CountDownLatch(1);
        Task<?> task = run(() -> {
            lock.lock();
            held.complete(0L);
            letGo.await();
            lock.unlock();
        });
        return new Holder(task, held, letGo);
    }
}
