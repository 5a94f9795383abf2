package io.boltwork.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.LockTimeoutException;
import io.boltwork.Replication;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The bounds of a hold (at most, at least, takeover delay), extensions, and bodies that are executed under a hold. */
abstract class LockContractBounds extends LockContractPart {

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
        LockOptions options = LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofSeconds(59)));
        Party party = party();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> party.client().lock(name, options))
                .withMessageContainingAll("within", "command timeout", "59");
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
        awaitQueued(1);
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
        awaitQueued(1);
        ours.unlock();
        assertThat(since(before)).as("until unlock has returned").isLessThan(millis(1_000));
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThat(ours.isLocked()).isTrue();
        assertThat(ours.tryLock()).isFalse();
        assertThat(party.client().inspector().describe(name)).satisfies(lock -> {
            assertThat(lock.state()).isEqualTo(LockSummary.State.KEPT);
            assertThat(lock.holder()).isEmpty();
            assertThat(lock.queue()).hasSize(1);
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
        awaitQueued(1);
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
        Holder third = holdInTime(newLock());
        awaitQueued(2);
        long before = System.nanoTime();
        first.unlock();
        second.get(PROMPT);
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
        Reply.Inspected seen = inspect();
        assertThat(seen.untilMillis() - seen.server().millis()).isGreaterThan(minHold.toMillis() - 5_000);
        second.release();
        Reply.Inspected kept = inspect();
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
        awaitQueued(1);
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

    // ================================================================ extension

    @Test
    void extendTakesOneRequestAndNeverShortensALease() {
        Party party = party();
        try (Lease lease = party.lock(name).acquire()) {
            long requests = party.backend().requests();
            lease.extend(Duration.ofMinutes(5));
            assertThat(party.backend().requests() - requests).isEqualTo(1);
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(295), Duration.ofMinutes(6));
            Reply.Inspected seen = inspect();
            assertThat(seen.untilMillis() - seen.server().millis()).isGreaterThan(295_000);
            lease.extend(Duration.ofMillis(1));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(290));
        }
        awaitFree();
    }

    @Test
    void anExtendedLeaseLastsTheRequestedTimeFromTheCall() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease lease = lock.acquire();
        long before = System.nanoTime();
        Duration longer = FIXED.multipliedBy(3);
        lease.extend(longer);
        Duration remaining = lease.remaining(); // not longer than the remaining time when this call has returned
        assertThat(remaining).isGreaterThanOrEqualTo(longer.minus(since(before)));
        FencedLock theirs = newLock();
        pass(FIXED.plus(FIXED.dividedBy(2)));
        assertThat(lease.isValid()).isTrue();
        assertThat(theirs.tryLock()).isFalse();
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(since(before)).isBetween(longer, longer.plus(TOLERANCE));
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        visitor(theirs).get(PROMPT);
    }

    @Test
    void aRenewedLeaseIsStillRenewedAfterAnExtension() {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        Duration longer = RENEWED.multipliedBy(6).dividedBy(5);
        lease.extend(longer);
        pass(longer.plus(RENEWED.dividedBy(4)));
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void extensionsShorterThanTheLeaseDoNotPreventRenewal() {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        for (int i = 0; i < 13; i++) {
            lease.extend(Duration.ofMillis(10));
            pass(RENEWED.dividedBy(10));
        }
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aHoldByGrantGetsItsWholeLeaseDespiteAShortExtension() {
        for (LockOptions options : List.of(LockOptions.defaults(), LockOptions.fixedLease(Duration.ofSeconds(30)))) {
            FencedLock first = heldElsewhere();
            FencedLock ours = newLock().withOptions(options);
            CompletableFuture<Lease> granted = ours.acquireAsync().toCompletableFuture();
            awaitQueued(1);
            first.unlock();
            Lease lease = get(granted);
            lease.extend(Duration.ofMillis(10));
            Await.until("it has its whole lease", () -> lease.remaining().toSeconds() > 20);
            lease.release();
        }
    }

    @Test
    void viewsAndAsyncAndNestedLeasesCanBeExtended() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofSeconds(30)));
        Lease outer = lock.acquire();
        Lease nested = lock.acquire();
        nested.extend(Duration.ofMinutes(1));
        assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(50));
        lock.currentLease().orElseThrow().extend(Duration.ofMinutes(2));
        assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(110));
        nested.release();
        outer.release();
        Lease async = get(lock.acquireAsync());
        async.extend(Duration.ofMinutes(3));
        assertThat(async.remaining()).isGreaterThan(Duration.ofSeconds(170));
        async.release();
    }

    @Test
    void aHoldThatHasEndedIsNotExtended() {
        FencedLock lock = newLock();
        Lease released = lock.acquire();
        released.release();
        assertThatThrownBy(() -> released.extend(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name);

        Lease expired =
                lock.withOptions(LockOptions.fixedLease(Duration.ofMillis(10))).acquire();
        Await.until("the lease ends", () -> !expired.isValid());
        assertThatThrownBy(() -> expired.extend(Duration.ofSeconds(1))).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(expired::release).isInstanceOf(LeaseLostException.class);

        Lease taken = lock.acquire();
        site.deleteLock(name);
        FencedLock theirs = heldElsewhere();
        assertThatThrownBy(() -> taken.extend(Duration.ofSeconds(1)))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
        assertThat(taken.isValid()).isFalse();
        assertThatThrownBy(taken::release).isInstanceOf(LeaseLostException.class);
        theirs.unlock();
    }

    @Test
    void absurdExtensionsAreRefusedByName() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        long requests = party.backend().requests();
        for (Duration absurd : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofSeconds(61), // beyond the longest time
                Duration.ofDays(366),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.extend(absurd))
                    .withMessageContaining("atLeast");
        }
        assertThat(party.backend().requests()).isEqualTo(requests);
        lease.extend(Duration.ofSeconds(50));
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(45), Duration.ofMinutes(1));
        lease.release();
    }

    @Test
    void anUnansweredExtensionFailsAndTheLeaseIsUnchanged() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        site.freeze();
        long start = System.nanoTime();
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(5))).isInstanceOf(BackendException.class);
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(40));
        site.thaw();
        Await.until("the server answers again", lock::isLocked);
        lease.release();
        awaitFree();
    }

    @Test
    void aLeaseForgottenByTheServerIsExtendedAllTheSame() {
        Lease lease = newLock().acquire();
        site.deleteLock(name);
        lease.extend(Duration.ofMinutes(2));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(110));
        assertThat(inspect().token()).isEqualTo(lease.fencingToken());
        lease.release();
        awaitFree();
    }

    @Test
    void anInterruptDoesNotEndAnExtension() {
        Lease lease = newLock().acquire();
        Thread.currentThread().interrupt();
        lease.extend(Duration.ofMinutes(2));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(110));
        lease.release();
    }

    @Test
    void anExtendedLeaseIsNotPassedOnInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        Lease lease = lock.acquire();
        lease.extend(Duration.ofMinutes(5));
        Holder next = holdInTime(lock);
        next.task().awaitParked();
        lease.release();
        next.token();
        Reply.Inspected seen = inspect();
        assertThat(seen.token()).isEqualTo(next.token());
        assertThat(seen.untilMillis() - seen.server().millis()).isLessThan(60_000);
        next.release();
    }

    // ================================================================ bodies under a hold

    @Test
    void runAndCallHoldTheLockWhileTheBodyRuns() throws Exception {
        FencedLock lock = newLock();
        AtomicBoolean held = new AtomicBoolean();
        lock.run(PROMPT, () -> held.set(lock.isHeldByCurrentThread()));
        assertThat(held).isTrue();
        assertThat(lock.<Integer>call(PROMPT, lock::holdCount)).isEqualTo(1);
        assertThat(lock.<String>call(Duration.ZERO, () -> lock.call(Duration.ZERO, () -> "nested")))
                .isEqualTo("nested");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        awaitFree();
    }

    @Test
    void anExceptionOfTheBodyIsRethrownAndTheLockIsFree() {
        FencedLock lock = newLock();
        IOException checked = new IOException("the body's own");
        IllegalStateException unchecked = new IllegalStateException("the body's own");
        assertThatThrownBy(() -> lock.call(PROMPT, () -> {
                    throw checked;
                }))
                .isSameAs(checked)
                .hasNoSuppressedExceptions();
        assertThatThrownBy(() -> lock.run(PROMPT, () -> {
                    throw unchecked;
                }))
                .isSameAs(unchecked)
                .hasNoSuppressedExceptions();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        awaitFree();
    }

    @Test
    void aBodyIsNotExecutedIfTheLockWasTaken() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        AtomicBoolean executed = new AtomicBoolean();
        long start = System.nanoTime();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(200))) {
            assertThatThrownBy(() -> ours.run(wait, () -> executed.set(true)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> ours.call(wait, () -> executed.getAndSet(true)))
                    .isInstanceOf(LockTimeoutException.class);
        }
        assertThat(since(start)).isBetween(Duration.ofMillis(400), TOLERANCE.plusMillis(400));
        assertThat(executed).isFalse();
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void aBodyThatOutlivesItsLeaseReportsTheLoss() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(millis(150)));
        assertThatThrownBy(() -> lock.run(PROMPT, () -> outlive(lock))).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.call(PROMPT, () -> {
                    outlive(lock);
                    return "too late";
                }))
                .isInstanceOf(LeaseLostException.class);
        IllegalStateException own = new IllegalStateException("the body's own");
        assertThatThrownBy(() -> lock.run(PROMPT, () -> {
                    outlive(lock);
                    throw own;
                }))
                .isSameAs(own)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).hasExactlyElementsOfTypes(LeaseLostException.class));
    }

    @Test
    void aBodyIsNotExecutedByAnInterruptedThread() {
        FencedLock lock = newLock();
        AtomicBoolean executed = new AtomicBoolean();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.run(PROMPT, () -> executed.set(true))).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.call(PROMPT, () -> executed.getAndSet(true)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(executed).isFalse();
        awaitFree();
    }

    private static void outlive(FencedLock lock) {
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
    }
}
