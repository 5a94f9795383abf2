// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters are woken, in order, regardless of other waiters and of the holder's fate. */
abstract class LockContractWaiting extends ContractPart {

    LockContractWaiting(LockSite site) {
        super(site);
    }

    @Test
    void aWaiterIsWokenByTheReleaseOfAnotherClient() {
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT);
    }

    @Test
    void aWaiterIsWokenByTheReleaseOfAnotherThread() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        Task<Long> waiter = visitor(lock);
        waiter.awaitParked();
        holder.release();
        waiter.get(PROMPT);
    }

    @Test
    void aWaiterIsWokenByTheReleaseOfALease() {
        FencedLock theirs = newLock();
        Lease lease = theirs.acquire();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        run(lease::release).get();
        waiter.get(PROMPT);
    }

    @Test
    void aHandoverToAnotherClientTakesOneRequest() {
        Party they = party();
        Party we = party();
        they.lock(name).lock();
        Holder waiter = holdInTime(we.lock(name));
        awaitQueued(1);
        long before = they.backend().requests() + we.backend().requests();
        they.lock(name).unlock();
        waiter.token();
        assertThat(they.backend().requests() + we.backend().requests()).isEqualTo(before + 1);
        waiter.release();
    }

    @Test
    void waitersDoNotPoll() {
        FencedLock theirs = heldElsewhere();
        Party we = party();
        Task<Long> waiter = visitor(we.lock(name));
        awaitQueued(1);
        pass(Duration.ofSeconds(1));
        assertThat(we.backend().requests(command -> command instanceof Command.Acquire))
                .isLessThanOrEqualTo(2);
        theirs.unlock();
        waiter.get(PROMPT);
    }

    @Test
    void aClientHasOneRequestInTheQueueForAllItsThreads() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        List<Task<Long>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(visitor(ours));
        }
        waiters.forEach(Task::awaitParked);
        awaitQueued(1);
        theirs.unlock();
        waiters.forEach(Task::get);
    }

    @Test
    void threadsOfAClientAreServedInOrder() {
        FencedLock lock = newLock();
        Holder holder = hold(lock);
        List<Integer> served = new ArrayList<>(); // guarded by the lock
        List<Task<?>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Task<?> waiter = run(() -> {
                lock.lock();
                served.add(number);
                lock.unlock();
            });
            waiter.awaitParked();
            waiters.add(waiter);
        }
        holder.release();
        waiters.forEach(Task::get);
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void clientsAreServedInOrder() {
        needsQueue();
        FencedLock theirs = heldElsewhere();
        List<Integer> served = new ArrayList<>(); // guarded by the lock
        List<Task<?>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            FencedLock lock = newLock();
            waiters.add(run(() -> {
                lock.lock();
                served.add(number);
                lock.unlock();
            }));
            awaitQueued(i + 1);
        }
        theirs.unlock();
        waiters.forEach(Task::get);
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    @Test
    void waitersWithDifferentOptionsAreServedInOrder() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        List<Duration> served = new ArrayList<>(); // guarded by the lock
        List<Task<?>> waiters = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            LockOptions options = i % 2 == 0
                    ? LockOptions.fixedLease(Duration.ofMinutes(i))
                    : LockOptions.renewedLease(Duration.ofMinutes(i));
            Task<?> waiter = run(() -> {
                try (Lease lease = ours.withOptions(options).acquire()) {
                    served.add(options.lease());
                    // a lease by grant is short until it is confirmed
                    assertThat(lease.remaining()).isLessThanOrEqualTo(options.lease());
                }
            });
            waiter.awaitParked();
            waiters.add(waiter);
        }
        theirs.unlock();
        waiters.forEach(Task::get);
        assertThat(served).hasSize(4).isSorted();
    }

    @Test
    void aThreadThatGivesUpLeavesTheRequestOfItsClient() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        Task<Boolean> first = start(() -> ours.tryLock(1_000, TimeUnit.MILLISECONDS));
        awaitQueued(1);
        Task<Long> second = visitor(ours);
        second.awaitParked();
        assertThat(first.get()).isFalse();
        awaitQueued(1);
        theirs.unlock();
        second.get(PROMPT);
    }

    @Test
    void manyLocksAreUsedAtOnce() {
        List<Party> clients = List.of(party(), party());
        Counter[] counters = new Counter[30];
        Arrays.setAll(counters, i -> new Counter());
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Party client = clients.get(i % 2);
            Random random = new Random(i);
            threads.add(run(() -> {
                for (int j = 0; j < 300; j++) {
                    int number = random.nextInt(counters.length);
                    FencedLock lock = client.lock(name + ":" + number);
                    lock.lock();
                    counters[number].increment();
                    lock.unlock();
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(Arrays.stream(counters).mapToInt(Counter::value).sum()).isEqualTo(8 * 300);
    }

    @Test
    void aWaiterThatGaveUpDelaysNoOther() throws Exception {
        FencedLock theirs = heldElsewhere();
        FencedLock impatient = newLock();
        Task<Boolean> first = start(() -> impatient.tryLock(1_000, TimeUnit.MILLISECONDS));
        awaitQueued(1);
        Task<Long> second = visitor(newLock());
        assertThat(first.get()).isFalse();
        awaitQueued(1);
        theirs.unlock();
        second.get(PROMPT);
    }

    @Test
    void aKilledWaiterDelaysNoOther() {
        FencedLock theirs = heldElsewhere();
        Party doomed = doomedParty();
        Task<Throwable> first = start(() -> {
            try {
                doomed.lock(name).lock();
                return new AssertionError("holds the lock although its client was killed");
            } catch (RuntimeException e) {
                return e;
            }
        });
        awaitQueued(1);
        Task<Long> second = visitor(newLock());
        awaitQueued(2);
        int listeners = site.listeners();
        doomed.kill();
        Await.until("the server knows that the first waiter is gone", () -> site.listeners() < listeners);
        theirs.unlock();
        second.get(PROMPT);
        doomed.client().close();
        assertThat(first.get()).isInstanceOf(RuntimeException.class);
    }

    @Test
    void aKilledHolderIsFollowedAtTheEndOfItsLease() {
        Party doomed = doomedParty();
        Duration lease = millis(1_200);
        long start = System.nanoTime();
        FencedLock dying = doomed.lock(name, LockOptions.renewedLease(lease));
        dying.lock();
        Holder waiter = holdInTime(newLock());
        awaitQueued(1);
        long token = tokenOf(dying);
        doomed.kill();
        Await.within(lease.plus(PROMPT), "the waiter holds", waiter::isHolding);
        assertThat(since(start)).isGreaterThanOrEqualTo(lease.minusMillis(5));
        assertThat(dying.isHeldByCurrentThread()).isFalse();
        assertThat(waiter.token()).isGreaterThan(token);
        waiter.release();
    }

    @Test
    void theSafetyPollServesForgottenWaitersAndLostGrants() {
        needsLockOfItsOwn();
        FencedLock forgetting = newLockNamed(name + ":forgotten");
        forgetting.lock();
        Task<Long> forgotten = visitor(newLockNamed(name + ":forgotten"));
        awaitQueued(name + ":forgotten", 1);
        site.deleteLock(name + ":forgotten");
        forgetting.unlock();

        FencedLock theirs = heldElsewhere();
        Party unlucky = party();
        Task<Long> first = visitor(unlucky.lock(name));
        awaitQueued(1);
        Task<Long> second = visitor(newLock());
        awaitQueued(2);
        unlucky.backend().holdBackGrants();
        theirs.unlock();
        second.get(Duration.ofSeconds(8));
        first.get(Duration.ofSeconds(8));
        forgotten.get(Duration.ofSeconds(8));
    }

    @Test
    void aRepeatedGrantIsOneHold() {
        FencedLock theirs = heldElsewhere();
        Party lucky = party();
        lucky.backend().doubleGrants();
        Holder waiter = holdInTime(lucky.lock(name));
        awaitQueued(1);
        theirs.unlock();
        waiter.token();
        waiter.release();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }

    @Test
    void aGrantThatComesTooLateIsWithdrawn() {
        FencedLock theirs = heldElsewhere();
        Party late = party();
        Task<Boolean> waiter = start(() -> late.lock(name).tryLock(1_200, TimeUnit.MILLISECONDS));
        awaitQueued(1);
        late.backend().holdBackGrants();
        theirs.unlock();
        assertThat(waiter.get()).isFalse();
        late.backend().deliverGrants();
        awaitFree();
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
    }
}
