// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.Replication;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.QueryReply;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The bounds of a hold: copies on replicas, maximum and minimum hold, takeover delay. */
abstract class LockContractBounds extends ContractPart {

    /** A bound of a hold that is long enough for everything that must happen before it. */
    private static final Duration BOUND = millis(700);

    /** The difference that millisecond clocks of two sides may have. */
    private static final Duration ROUNDING = Duration.ofMillis(5);

    LockContractBounds(LockSite site) {
        super(site);
    }

    // ================================================================ replication

    @Test
    void aReplicatedLockIsHeldIfThereAreEnoughReplicas() {
        needs(Capability.REPLICATION);
        LockOptions options = LockOptions.defaults().withReplication(Replication.atLeast(1, millis(300)));
        FencedLock lock = party().lock(name, options);
        if (site.replicas() > 0) {
            Await.until("the replica is in step", () -> succeeds(lock::lock));
            lock.lock();
            assertThat(lock.holdCount()).isEqualTo(2);
            lock.unlock();
            lock.unlock();
        }
        assertThat(lock.isLocked()).isFalse();
    }

    private static boolean succeeds(Runnable call) {
        try {
            call.run();
            return true;
        } catch (BackendException refused) {
            return false;
        }
    }

    @Test
    void aLockKnownToTooFewReplicasIsRefusedWithTheirCount() {
        needs(Capability.REPLICATION);
        int wanted = site.replicas() + 1;
        LockOptions options = LockOptions.defaults().withReplication(Replication.atLeast(wanted, millis(100)));
        FencedLock lock = party().lock(name, options);
        FencedLock theirs = newLock();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                lock::lock,
                lock::tryLock,
                () -> lock.acquireAsync().toCompletableFuture().join())) {
            assertThatThrownBy(call)
                    .hasStackTraceContaining("of the " + wanted + " replicas")
                    .hasStackTraceContaining("does not hold the lock '" + name);
            Await.until("the lock has been released", theirs::tryLock);
            theirs.unlock();
        }
    }

    @Test
    void aReplicaWaitBeyondTheCommandTimeoutIsRefused() {
        needs(Capability.REPLICATION);
        LockOptions options = LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofSeconds(59)));
        Party party = party();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> party.client().lock(name, options))
                .withMessageContainingAll("within", "command timeout", "59");
    }

    @Test
    void replicationIsRefusedWithTheReasonIfTheBackendHasNone() {
        LockOptions options = LockOptions.defaults().withReplication(Replication.atLeast(1, millis(300)));
        Party party = party();
        Optional<String> reason = party.backend().refusal(Capability.REPLICATION);
        assumeTrue(reason.isPresent(), "this backend has replication");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> party.client().lock(name, options))
                .withMessageContainingAll("replication must be absent", reason.orElseThrow());
    }

    // ================================================================ maximum hold

    @Test
    void aHoldIsLostAtItsMaxHoldNeitherEarlierNorMuchLater() {
        LockOptions options = LockOptions.defaults().withMaxHold(millis(300));
        List<Duration> lateness = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FencedLock lock = party().lock(name + ":" + i, options);
            long before = System.nanoTime();
            Lease lease = lock.acquire();
            long after = System.nanoTime();
            assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), millis(300));
            Await.until("the longest time is over", () -> !lease.isValid());
            assertThat(since(before)).isGreaterThanOrEqualTo(millis(300));
            lateness.add(since(after).minus(millis(300)));
            assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.MAX_HOLD);
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        }
        assertThat(lateness)
                .as("one of them undisturbed")
                .anySatisfy(late -> assertThat(late).isLessThan(Slack.of(Duration.ofMillis(50))));
    }

    @Test
    void theMaxHoldEndsAHoldThatIsRenewedAgainAndAgain() {
        Party party = party();
        Duration maxHold = millis(1_300);
        FencedLock lock = party.lock(name, LockOptions.renewedLease(millis(600)).withMaxHold(maxHold));
        long before = System.nanoTime();
        Lease lease = lock.acquire();
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.MAX_HOLD);
        assertThat(since(before)).isBetween(maxHold, maxHold.plus(TOLERANCE));
        assertThat(party.backend().requests(command -> command instanceof Command.Renew))
                .isGreaterThan(2);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theNextGetsTheLockAtTheMaxHoldBeforeTheHolderUnwinds() {
        FencedLock ours = newLock().withOptions(LockOptions.defaults().withMaxHold(BOUND));
        long before = System.nanoTime();
        ours.lock();
        ours.lock();
        long token = tokenOf(ours);
        FencedLock theirs = newLock();
        Holder next = holdInTime(theirs);
        awaitQueued(next);
        Await.within(BOUND.plus(PROMPT), "the next holds", next::isHolding);
        assertThat(since(before)).isGreaterThanOrEqualTo(BOUND.minus(ROUNDING));
        assertThat(next.token()).isGreaterThan(token);
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(ours::unlock)
                    .isInstanceOfSatisfying(
                            LeaseLostException.class,
                            lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.MAX_HOLD));
        }
        assertThat(inspect().token()).isEqualTo(next.token());
        next.release();
    }

    @Test
    void aThreadOfTheSameClientGetsTheLockAtTheMaxHold() {
        FencedLock lock = newLock().withOptions(LockOptions.defaults().withMaxHold(BOUND));
        lock.lock();
        Task<Long> next = visitor(lock);
        next.get(BOUND.plus(PROMPT));
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theMaxHoldCountsAgainAfterAHandoverInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name, LockOptions.defaults().withMaxHold(BOUND));
        lock.lock();
        Task<Lease> next = start(lock::acquire);
        next.awaitParked();
        pass(BOUND.dividedBy(2));
        long passed = System.nanoTime();
        lock.unlock();
        Lease lease = next.get(PROMPT);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.MAX_HOLD);
        assertThat(since(passed)).isBetween(BOUND, BOUND.plus(TOLERANCE));
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    // ================================================================ minimum hold

    @Test
    void aLockStaysTakenForItsMinHoldAfterUnlockReturns() {
        Party party = party();
        FencedLock ours = party.lock(name, LockOptions.defaults().withMinHold(millis(1_000)));
        long before = System.nanoTime();
        ours.lock();
        Holder next = holdInTime(newLock());
        awaitQueued(next);
        ours.unlock();
        assertThat(since(before)).as("until unlock has returned").isLessThan(millis(1_000));
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThat(ours.isLocked()).isTrue();
        assertThat(ours.tryLock()).isFalse();
        assertThat(party.client().inspector().describe(name)).satisfies(lock -> {
            assertThat(lock.state()).isEqualTo(LockSummary.State.KEPT);
            assertThat(lock.holders()).isEmpty();
            assertThat(lock.queue()).hasSize(site.hasQueue() ? 1 : 0);
        });
        Await.within(millis(1_000).plus(PROMPT), "the next holds", next::isHolding);
        assertThat(since(before)).isGreaterThanOrEqualTo(millis(1_000).minus(ROUNDING));
        next.release();
    }

    @Test
    void aTryGetsTheLockAfterItsMinHoldAndNotBefore() {
        FencedLock ours = newLock().withOptions(LockOptions.defaults().withMinHold(BOUND));
        FencedLock theirs = newLock();
        long before = System.nanoTime();
        ours.lock();
        ours.unlock();
        assertThat(theirs.tryLock()).isFalse();
        Await.within(BOUND.plus(PROMPT), "the lock opens", theirs::tryLock);
        assertThat(since(before)).isGreaterThanOrEqualTo(BOUND.minus(ROUNDING));
        assertThat(ours.tryLock()).isFalse();
        theirs.unlock();
        assertThat(ours.isLocked()).isFalse();
    }

    @Test
    void aLockStaysTakenForItsMinHoldIfItsHolderIsKilled() {
        Party doomed = doomedParty();
        long before = System.nanoTime();
        doomed.lock(name, LockOptions.renewedLease(millis(100)).withMinHold(BOUND))
                .lock();
        Holder next = holdInTime(newLock());
        awaitQueued(next);
        doomed.kill();
        next.token();
        assertThat(since(before)).isGreaterThanOrEqualTo(BOUND.minus(ROUNDING));
        next.release();
    }

    @Test
    void theMinHoldAppliesToALockByGrantToo() {
        FencedLock first = heldElsewhere();
        FencedLock ours = newLock().withOptions(LockOptions.defaults().withMinHold(BOUND));
        long[] acquired = new long[1];
        Task<?> second = run(() -> {
            ours.lock();
            acquired[0] = System.nanoTime();
            ours.unlock();
        });
        awaitQueued(1);
        FencedLock thirds = newLock();
        // without a queue, the third might overtake the second
        Optional<Holder> waiting = site.hasQueue() ? Optional.of(holdInTime(thirds)) : Optional.empty();
        awaitQueued(waiting.isPresent() ? 2 : 1);
        long before = System.nanoTime();
        first.unlock();
        second.get(PROMPT);
        Holder third = waiting.orElseGet(() -> holdInTime(thirds));
        Await.within(BOUND.plus(PROMPT), "the third holds", third::isHolding);
        assertThat(since(before)).isGreaterThanOrEqualTo(BOUND.minus(ROUNDING));
        assertThat(acquired[0] - before).isPositive();
        third.release();
    }

    @Test
    void aGrantShorterThanTheMinHoldIsNotAHoldYet() {
        FencedLock first = heldElsewhere();
        Duration minHold = Duration.ofSeconds(20); // a claim is for 3 s
        FencedLock ours =
                newLock().withOptions(LockOptions.renewedLease(RENEWED).withMinHold(minHold));
        Holder second = holdInTime(ours);
        awaitQueued(1);
        first.unlock();
        second.token();
        QueryReply.Inspected seen = inspect();
        assertThat(seen.untilMillis() - seen.server().millis()).isGreaterThan(minHold.toMillis() - 5_000);
        second.release();
        QueryReply.Inspected kept = inspect();
        assertThat(kept.owner()).isNull();
        assertThat(kept.untilMillis() - kept.server().millis()).isGreaterThan(minHold.toMillis() - 5_000);
    }

    @Test
    void aLockWithAMinHoldIsNotPassedOnInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name, LockOptions.defaults().withMinHold(millis(300)));
        long before = System.nanoTime();
        lock.lock();
        Task<Long> next = visitor(lock);
        next.awaitParked();
        lock.unlock();
        assertThat(Duration.ofNanos(next.get(PROMPT) - before))
                .isGreaterThanOrEqualTo(millis(300).minus(ROUNDING));
    }

    // ================================================================ takeover delay

    @Test
    void aLockStaysClosedAfterALeaseEndsWithoutARelease() {
        Party doomed = doomedParty();
        Duration delay = millis(500);
        long before = System.nanoTime();
        Lease lease = doomed.lock(name, LockOptions.fixedLease(FIXED).withTakeoverDelay(delay))
                .acquire();
        Holder next = holdInTime(newLock());
        awaitQueued(next);
        doomed.kill();
        Await.until("the lease ends", () -> !lease.isValid());
        assertThat(since(before)).isLessThan(FIXED.plus(TOLERANCE));
        Await.within(FIXED.plus(delay).plus(PROMPT), "the next holds", next::isHolding);
        assertThat(since(before)).isGreaterThanOrEqualTo(FIXED.plus(delay).minus(ROUNDING));
        assertThat(next.token()).isGreaterThan(lease.fencingToken());
        next.release();
    }

    @Test
    void aLockStaysClosedEvenIfItsLastHolderUnwindsMeanwhile() {
        Duration delay = millis(500);
        FencedLock ours = newLock().withOptions(LockOptions.fixedLease(FIXED).withTakeoverDelay(delay));
        long before = System.nanoTime();
        ours.lock();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        Await.until("the lease ends", () -> !ours.isHeldByCurrentThread());
        assertThatThrownBy(ours::unlock).isInstanceOf(LeaseLostException.class);
        next.token();
        assertThat(since(before)).isGreaterThanOrEqualTo(FIXED.plus(delay).minus(ROUNDING));
        next.release();
    }

    @Test
    void aReleaseIsNotDelayed() {
        FencedLock ours = newLock().withOptions(LockOptions.defaults().withTakeoverDelay(Duration.ofMinutes(10)));
        ours.lock();
        Task<Long> next = visitor(newLock());
        awaitQueued(1);
        ours.unlock();
        next.get(PROMPT);
        ours.lock();
        ours.unlock();
        assertThat(ours.isLocked()).isFalse();
    }

    @Test
    void aLockStaysClosedAfterAHoldThatLastedItsMaxHold() {
        Duration delay = millis(400);
        FencedLock ours =
                newLock().withOptions(LockOptions.defaults().withMaxHold(BOUND).withTakeoverDelay(delay));
        long before = System.nanoTime();
        ours.lock();
        Holder next = holdInTime(newLock());
        awaitQueued(1);
        Await.within(BOUND.plus(delay).plus(PROMPT), "the next holds", next::isHolding);
        assertThat(since(before)).isGreaterThanOrEqualTo(BOUND.plus(delay).minus(ROUNDING));
        assertThatThrownBy(ours::unlock).isInstanceOf(LeaseLostException.class);
        next.release();
    }
}
