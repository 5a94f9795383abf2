// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Lost replies, broken connections and replaced servers: a lock is held once or not at all. */
abstract class LockContractUnreliable extends ContractPart {

    LockContractUnreliable(LockSite site) {
        super(site);
    }

    @Test
    void tryLockWhoseReplyWasLostLeavesNothing() {
        Party party = party();
        FencedLock lock = party.lock(name);
        party.backend().loseReply(command -> command instanceof Command.Acquire);
        assertThatThrownBy(lock::tryLock).isInstanceOf(BackendException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        FencedLock theirs = newLock();
        Task<Long> visitor = visitor(theirs);
        visitor.get(PROMPT);
    }

    @Test
    void timedTryWhoseReplyWasLostLeavesNothing() {
        Party party = party();
        FencedLock lock = party.lock(name);
        party.backend().loseReply(command -> command instanceof Command.Acquire);
        assertThatThrownBy(() -> lock.tryAcquire(Duration.ofMillis(200))).isInstanceOf(BackendException.class);
        Task<Long> visitor = visitor(newLock());
        visitor.get(PROMPT);
    }

    @Test
    void aTimedWaiterWhoseReplyWasLostLeavesNoPlaceInTheQueue() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        FencedLock lock = party.lock(name);
        party.backend().loseReply(command -> command instanceof Command.Acquire);
        assertThatThrownBy(() -> lock.tryAcquire(Duration.ofMillis(200))).isInstanceOf(BackendException.class);
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void lockWhoseReplyWasLostIsHeldOnce() {
        Party party = party();
        FencedLock lock = party.lock(name);
        party.backend().loseReply(command -> command instanceof Command.Acquire);
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(inspect().token()).isEqualTo(tokenOf(lock));
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        awaitFree();
    }

    @Test
    void aWaiterWhoseReplyWasLostIsServed() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        party.backend().loseReply(command -> command instanceof Command.Acquire);
        Task<Long> waiter = visitor(party.lock(name));
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT.plus(party.commandTimeout()));
    }

    @Test
    void anUnlockWhoseReplyWasLostHarmsNoSuccessor() {
        Party party = party();
        FencedLock ours = party.lock(name);
        ours.lock();
        Holder successor = holdInTime(newLock());
        awaitQueued(1);
        party.backend().loseReply(command -> command instanceof Command.Release);
        ours.unlock();
        long token = successor.token();
        Await.until(
                "the release is repeated",
                () -> party.backend().requests(command -> command instanceof Command.Release) >= 2);
        pass(millis(100));
        assertThat(inspect().token()).isEqualTo(token);
        successor.release();
    }

    @Test
    void aLeaseWhoseRenewalWasNotAnsweredIsRenewedAgain() {
        Party party = party();
        Duration length = millis(1_200);
        Lease lease = party.lock(name, LockOptions.renewedLease(length)).acquire();
        party.backend().loseReply(command -> command instanceof Command.Renew);
        pass(length.multipliedBy(4).dividedBy(3));
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aHolderSurvivesBrokenConnections() {
        Duration length = millis(1_500);
        FencedLock lock = newLock().withOptions(LockOptions.renewedLease(length));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();
        for (int i = 0; i < 2; i++) {
            site.disconnectAll();
            pass(length.multipliedBy(3).dividedBy(5));
        }
        assertThat(lease.isValid()).isTrue();
        assertThat(loss).isNotDone();
        assertThat(inspect().token()).isEqualTo(lease.fencingToken());
        lease.release();
    }

    @Test
    void aWaiterSurvivesBrokenConnections() {
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        site.disconnectAll();
        theirs.unlock();
        waiter.get(Duration.ofSeconds(8));
    }

    @Test
    void connectionsThatBreakUnderLoadCostNoExclusion() {
        Counter counter = new Counter();
        int[] remaining = {4_000}; // guarded by the lock
        List<Task<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FencedLock lock = newLock();
            for (int j = 0; j < 3; j++) {
                threads.add(start(() -> {
                    int done = 0;
                    for (boolean go = true; go; ) {
                        lock.lock();
                        go = remaining[0]-- > 0;
                        if (go) {
                            counter.increment();
                            done++;
                        }
                        lock.unlock();
                    }
                    return done;
                }));
            }
        }
        for (int i = 0; i < 3; i++) {
            pass(Duration.ofMillis(150));
            site.disconnectAll();
        }
        int done = threads.stream().mapToInt(Task::get).sum();
        assertThat(done).isEqualTo(4_000);
        assertThat(counter.value()).isEqualTo(4_000);
    }

    @Test
    void tryLockLeavesNothingWhileConnectionsBreak() {
        FencedLock lock = newLock();
        Task<?> breaker = run(() -> {
            for (int i = 0; i < 5; i++) {
                pass(Duration.ofMillis(40));
                site.disconnectAll();
            }
        });
        while (!breaker.isDone()) {
            try {
                if (lock.tryLock()) {
                    assertThat(lock.holdCount()).isEqualTo(1);
                    lock.unlock();
                }
            } catch (BackendException unknown) {
                assertThat(lock.isHeldByCurrentThread()).isFalse();
            }
        }
        Task<Long> visitor = visitor(newLock());
        visitor.get(Duration.ofSeconds(5));
    }

    @Test
    void waitersSurviveAReplacedServer() {
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(newLock());
        awaitQueued(1);
        long token = tokenOf(theirs);
        site.restartEmpty();
        Await.until(
                "the holder is restored or the waiter served", () -> inspect().owner() != null || waiter.isDone());
        if (theirs.isHeldByCurrentThread() && inspect().token() == token) {
            theirs.unlock();
        }
        waiter.get(Duration.ofSeconds(10));
    }

    @Test
    void locksWorkAfterAServerWasReplaced() {
        List<FencedLock> locks = List.of(newLock(), newLock());
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            for (FencedLock lock : locks) {
                try (Lease lease = lock.acquire()) {
                    tokens.add(lease.fencingToken());
                }
            }
            site.restartEmpty();
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aReplacedServersLateGrantIsRestoredRepeatedOrLost() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        Task<?> waiter = run(() -> {
            Lease lease = party.lock(name).tryAcquire(Duration.ofSeconds(20)).orElseThrow();
            Await.until(
                    "the server knows of the hold or the holder of its loss",
                    () -> inspect().token() == lease.fencingToken() || !lease.isValid());
            if (lease.isValid()) {
                lease.release();
            } else {
                assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            }
        });
        awaitQueued(1);
        party.backend().holdBackGrants();
        theirs.unlock();
        Await.until("the grant is under way", () -> inspect().queue().isEmpty());
        site.restartEmpty();
        party.backend().deliverGrants();
        waiter.get();
        theirs.lock();
        theirs.unlock();
    }
}
