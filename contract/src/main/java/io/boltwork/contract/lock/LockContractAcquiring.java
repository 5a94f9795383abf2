// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Acquisitions, refusals and tokens. */
abstract class LockContractAcquiring extends ContractPart {

    LockContractAcquiring(LockSite site) {
        super(site);
    }

    @Test
    void aFreeLockIsAcquiredAndReleased() {
        FencedLock lock = newLock();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isLocked()).isTrue();
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void anUncontendedPairTakesTwoRequests() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        assertThat(party.backend().requests()).isEqualTo(1);
        lock.unlock();
        assertThat(party.backend().requests()).isEqualTo(2);
    }

    @Test
    void oneThreadOfAClientHoldsAtATime() {
        FencedLock lock = newLock();
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(run(() -> {
                for (int j = 0; j < 100; j++) {
                    lock.lock();
                    counter.increment();
                    lock.unlock();
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(800);
    }

    @Test
    void oneClientHoldsAtATime() {
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FencedLock lock = newLock();
            for (int j = 0; j < 2; j++) {
                threads.add(run(() -> {
                    for (int k = 0; k < 50; k++) {
                        lock.lock();
                        counter.increment();
                        lock.unlock();
                    }
                }));
            }
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(400);
    }

    @Test
    void allWaysToHoldExcludeEachOther() {
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            FencedLock lock = newLock();
            List<Body> ways = List.of(
                    () -> {
                        lock.lock();
                        counter.increment();
                        lock.unlock();
                    },
                    () -> {
                        try (Lease lease = lock.acquireInterruptibly()) {
                            counter.increment();
                            lease.ensureValid();
                        }
                    },
                    () -> {
                        if (lock.tryLock(1, TimeUnit.MINUTES)) {
                            counter.increment();
                            lock.unlock();
                        }
                    },
                    () -> {
                        lock.lock(Duration.ofMinutes(1));
                        counter.increment();
                        lock.unlock();
                    },
                    () -> {
                        Lease lease = get(lock.acquireAsync());
                        counter.increment();
                        lease.release();
                    });
            for (Body way : ways) {
                threads.add(run(() -> {
                    for (int j = 0; j < 20; j++) {
                        way.run();
                    }
                }));
            }
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(200);
    }

    @Test
    void twoHundredThreadsAreAllServed() {
        List<FencedLock> locks = List.of(newLock(), newLock());
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            FencedLock lock = locks.get(i % 2);
            threads.add(run(() -> {
                for (int j = 0; j < 5; j++) {
                    lock.lock();
                    counter.increment();
                    lock.unlock();
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(1_000);
    }

    @Test
    void locksOfDifferentNamesAreIndependent() {
        Party party = party();
        party.lock(name).lock();
        FencedLock other = newLockNamed(name + ":other");
        assertThat(other.tryLock()).isTrue();
        other.unlock();
        party.lock(name).unlock();
    }

    @Test
    void tryLockTakesAFreeLock() {
        FencedLock lock = newLock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void tryLockOfAHeldLockIsRefusedInOneRoundTrip() {
        FencedLock theirs = heldElsewhere();
        Party us = party();
        FencedLock ours = us.lock(name);
        assertThat(ours.tryLock()).isFalse();
        assertThat(us.backend().requests()).isEqualTo(1);
        assertThat(ours.tryAcquire()).isEmpty();
        assertThat(us.backend().requests()).isEqualTo(2);
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        theirs.unlock();
        assertThat(ours.tryLock()).isTrue();
        ours.unlock();
    }

    @Test
    void tryLockSendsNothingWhileAnotherThreadHolds() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Holder holder = hold(lock);
        long before = party.backend().requests();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(party.backend().requests()).isEqualTo(before);
        holder.release();
    }

    @Test
    void tryLockSendsNothingWhileAnotherThreadWaits() {
        FencedLock theirs = heldElsewhere();
        Party us = party();
        FencedLock ours = us.lock(name);
        Task<Long> waiter = visitor(ours);
        awaitQueued(1);
        assertThat(ours.tryLock()).isFalse();
        assertThat(us.backend().requests(ContractPart::isTry)).isZero();
        theirs.unlock();
        waiter.get();
    }

    @Test
    void tryLockDoesNotOvertakeWaitingThreadsOfItsClient() {
        FencedLock lock = newLock();
        Holder first = hold(lock);
        Holder second = holdInTime(lock);
        second.task().awaitParked();
        first.letGo().countDown();
        while (!second.isHolding()) {
            assertThat(lock.tryLock()).isFalse();
        }
        second.release();
    }

    @Test
    void tryLockDoesNotOvertakeTheQueueOfALapsedLock() {
        needsQueue();
        Party dying = doomedParty();
        assertThat(dying.lock(name, LockOptions.renewedLease(millis(1_200))).tryLock())
                .isTrue();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        dying.kill();
        FencedLock pushing = newLock();
        Await.until("the waiter holds", () -> {
            assertThat(pushing.tryLock()).isFalse();
            return next.isHolding();
        });
        next.release();
    }

    @Test
    void timedTryWaitsUntilTheLockIsFree() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<Boolean> waiter = start(() -> {
            boolean held = ours.tryLock(1, TimeUnit.MINUTES);
            ours.unlock();
            return held;
        });
        awaitQueued(1);
        theirs.unlock();
        assertThat(waiter.get(PROMPT)).isTrue();
    }

    @Test
    void timedTryEndsByItsDeadlineAndLeavesNothing() throws Exception {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        long start = System.nanoTime();
        assertThat(ours.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(since(start)).isBetween(Duration.ofMillis(300), TOLERANCE.plusMillis(300));
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void timedTryBehindAnotherThreadEndsByItsDeadline() throws Exception {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        long start = System.nanoTime();
        assertThat(lock.tryAcquire(Duration.ofMillis(200))).isEmpty();
        assertThat(since(start)).isBetween(Duration.ofMillis(200), TOLERANCE.plusMillis(200));
        holder.release();
    }

    @Test
    void timedTryWithZeroTimeDoesNotWait() throws Exception {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        assertThat(ours.tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThat(ours.tryLock(-1, TimeUnit.DAYS)).isFalse();
        assertThat(ours.tryLock(Duration.ZERO, Duration.ofSeconds(9))).isFalse();
        assertThat(ours.tryAcquire(Duration.ofDays(-1))).isEmpty();
        theirs.unlock();
        assertThat(ours.tryLock(0, TimeUnit.SECONDS)).isTrue();
        ours.unlock();
    }

    @Test
    void tryAcquireReturnsTheHoldAsAValue() throws Exception {
        FencedLock lock = newLock();
        Optional<Lease> now = lock.tryAcquire();
        assertThat(now).isPresent();
        now.orElseThrow().release();
        Optional<Lease> soon = lock.tryAcquire(Duration.ofSeconds(1));
        assertThat(soon).hasValueSatisfying(lease -> assertThat(lease.isValid()).isTrue());
        soon.orElseThrow().release();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void isLockedAsksTheServerAndRecognizesALapsedLease() {
        FencedLock observer = newLock();
        assertThat(observer.isLocked()).isFalse();
        FencedLock theirs = heldElsewhere();
        assertThat(observer.isLocked()).isTrue();
        theirs.unlock();
        assertThat(observer.isLocked()).isFalse();
        Party dying = doomedParty();
        assertThat(dying.lock(name, LockOptions.fixedLease(millis(100))).tryLock())
                .isTrue();
        dying.kill();
        Await.until("the lease of the dead holder ends", () -> !observer.isLocked());
        assertThat(observer.tryLock()).isTrue();
        observer.unlock();
    }

    @Test
    void tokensGrowAcrossThreadsClientsAndHandovers() {
        List<Long> tokens = new ArrayList<>(); // guarded by the lock
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FencedLock lock = newLock();
            for (int j = 0; j < 4; j++) {
                threads.add(run(() -> {
                    for (int k = 0; k < 50; k++) {
                        try (Lease lease = lock.acquire()) {
                            tokens.add(lease.fencingToken());
                        }
                    }
                }));
            }
        }
        threads.forEach(Task::get);
        assertThat(tokens).hasSize(600).isSorted().doesNotHaveDuplicates().allMatch(token -> token > 0);
    }

    @Test
    void tokensGrowAfterTheServerForgetsEverything() {
        FencedLock lock = newLock();
        List<Long> tokens = new ArrayList<>();
        for (Runnable oblivion : List.<Runnable>of(() -> {}, site::flush, () -> site.deleteLock(name))) {
            try (Lease lease = lock.acquire()) {
                tokens.add(lease.fencingToken());
            }
            oblivion.run();
        }
        try (Lease lease = lock.acquire()) {
            tokens.add(lease.fencingToken());
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aHandoverWithinASliceTakesNoRequest() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        lock.lock();
        Task<Long> next = visitor(lock);
        next.awaitParked();
        assertThat(party.backend().requests()).isEqualTo(1);
        lock.unlock();
        next.get();
        assertThat(party.backend().requests()).isEqualTo(2);
    }

    @Test
    void otherClientsGetTheLockAfterASlice() {
        FencedLock ours = newLock();
        boolean[] enough = {false}; // guarded by the lock
        List<Task<?>> greedy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            greedy.add(run(() -> {
                for (boolean go = true; go; ) {
                    ours.lock();
                    go = !enough[0];
                    ours.unlock();
                }
            }));
        }
        Await.until("the lock is busy", ours::isLocked);
        FencedLock theirs = newLock();
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            theirs.lock();
            enough[0] = i == 19;
            theirs.unlock();
            assertThat(since(start)).isLessThan(Slack.of(PROMPT));
        }
        greedy.forEach(Task::get);
    }

    @Test
    void everyNameHasItsOwnLock() {
        needsLockOfItsOwn();
        Party party = party();
        FencedLock theirs = newLockNamed("{" + name + "}");
        List<String> names = List.of(
                "{" + name + "}",
                "}" + name + "{",
                "{}" + name,
                name + "%7B",
                name + "{",
                name + "%",
                "%s%n " + name,
                " " + name + " ",
                name + "\n\r\0\"'\\*?[a]",
                "Lager/Größe/库存/🔒 " + name,
                name + "x".repeat(1_024 - name.length()),
                name + "é".repeat((1_024 - name.length()) / 2));
        for (String any : names) {
            FencedLock lock = party.lock(any);
            assertThat(lock.name()).isEqualTo(any);
            assertThat(lock.tryLock()).as(any).isTrue();
        }
        assertThat(theirs.tryLock()).isFalse();
        for (String any : names) {
            assertThat(party.lock(any).isHeldByCurrentThread()).as(any).isTrue();
            party.lock(any).unlock();
        }
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @Test
    void waitersOfUnusualNamesAreWoken() {
        needsLockOfItsOwn();
        for (String odd : List.of("{a}{b} " + name, "100 % " + name, "🔒" + name)) {
            FencedLock theirs = newLockNamed(odd);
            theirs.lock();
            Task<Long> waiter = visitor(newLockNamed(odd));
            awaitQueued(odd, 1);
            theirs.unlock();
            waiter.get(PROMPT);
        }
    }
}
