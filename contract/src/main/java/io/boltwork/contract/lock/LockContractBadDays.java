// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.contract.part.RecordingListener;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Calls on a bad day: the server is unreachable, forgets a lock or gives it away. {@code docs/inside/guarantees.md}
 * names the tests, which are here or in {@link LockContractOwners}.
 */
abstract class LockContractBadDays extends ContractPart {

    private static final LockOptions SHORT = LockOptions.renewedLease(RENEWED);

    LockContractBadDays(LockSite site) {
        super(site);
    }

    @Test
    void refusedLostAndUnknownAreDifferentOutcomes() throws Exception {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        FencedLock ours = party.lock(name);
        assertThat(ours.tryLock()).isFalse();
        assertThat(ours.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(ours.tryAcquire()).isEmpty();
        assertThat(get(ours.tryAcquireAsync(Duration.ofMillis(50)))).isEmpty();
        assertThatThrownBy(() -> ours.run(Duration.ZERO, () -> {}))
                .isInstanceOf(LockTimeoutException.class)
                .isInstanceOf(LockException.class);
        theirs.unlock();

        Lease lease = ours.withOptions(LockOptions.fixedLease(millis(50))).acquire();
        Await.until("the lease ends", () -> !lease.isValid());
        assertThatThrownBy(lease::release)
                .isInstanceOf(LockException.class)
                .isInstanceOfSatisfying(LeaseLostException.class, lost -> {
                    assertThat(lost.loss().lockName()).isEqualTo(name);
                    assertThat(lost.loss().fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(lost.loss().reason()).isEqualTo(Reason.EXPIRED);
                });

        party.backend().loseReply(ContractPart::isTry);
        assertThatThrownBy(ours::tryLock)
                .isInstanceOf(LockException.class)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue());
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        awaitFree(); // the undoing
    }

    @Test
    void lockAndAcquireWaitInAnOutageUntilThePatienceEnds() {
        Duration patience = millis(1_500);
        Party party =
                party(ClientOptions.defaults().withOutagePatience(patience).withShutdownTime(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        site.freeze();
        Task<Long> waiter = visitor(lock);
        pass(party.commandTimeout().plus(millis(100)));
        assertThat(waiter.isDone()).isFalse();
        site.thaw();
        waiter.get(PROMPT);
        awaitFree();

        RecordingListener ear = RecordingListener.listenTo(party);
        site.freeze();
        Task<Duration> locker = start(() -> failsAfter(lock::lock));
        // the patience is for the whole outage: a later caller waits a little less
        Duration least = patience.minus(millis(500));
        assertThat(failsAfter(lock::acquire)).isBetween(least, patience.plus(TOLERANCE));
        assertThat(locker.get()).isBetween(least, patience.plus(TOLERANCE));
        Await.until(
                "the listener is notified",
                () -> ear.all(LockListener.Waited.class).size() == 2);
        assertThat(ear.all(LockListener.Waited.class))
                .extracting(LockListener.Waited::outcome)
                .containsOnly(LockListener.Outcome.FAILED);
        site.thaw();
        awaitFree();
    }

    @Test
    void timedFormsEndByTheirDeadline() throws Exception {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        FencedLock queued = party.lock(name);
        FencedLock local = party.lock(name + ":local");
        Holder holder = hold(local);
        FencedLock silent = party.lock(name + ":silent");
        Task<Boolean> refused = start(() -> queued.tryLock(1_000, TimeUnit.MILLISECONDS));
        awaitQueued(1);
        site.freeze();
        Duration wait = Duration.ofMillis(300);
        assertThat(failsAfter(() -> silent.tryLock(300, TimeUnit.MILLISECONDS))).isLessThan(wait.plus(TOLERANCE));
        assertThat(failsAfter(() -> silent.tryAcquire(wait))).isLessThan(wait.plus(TOLERANCE));
        assertThat(failsAfter(() -> silent.run(wait, () -> {}))).isLessThan(wait.plus(TOLERANCE));
        assertThat(failureOf(silent.tryAcquireAsync(wait))).isInstanceOf(BackendException.class);
        long start = System.nanoTime();
        assertThat(local.tryLock(300, TimeUnit.MILLISECONDS))
                .as("behind a local hold")
                .isFalse();
        assertThat(since(start)).isBetween(wait, wait.plus(TOLERANCE));
        assertThat(refused.get(PROMPT)).as("its last answer was: queued").isFalse();
        site.thaw();
        holder.release();
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void tryLockTakesAtMostOneRoundTrip() {
        Party party = party();
        FencedLock lock = party.lock(name);
        assertThat(lock.tryLock()).isTrue();
        assertThat(party.backend().requests()).isEqualTo(1);
        Task<?> other = run(() -> assertThat(lock.tryLock()).as("held here").isFalse());
        other.get();
        assertThat(party.backend().requests()).isEqualTo(1);
        lock.unlock();

        site.freeze();
        assertThat(failsAfter(lock::tryLock))
                .isBetween(
                        party.commandTimeout().minusMillis(5),
                        party.commandTimeout().plus(TOLERANCE));
        site.thaw();
        awaitFree();
    }

    @Test
    void tryLockOvertakesNoQueue() {
        needsQueue();
        Party party = party();
        FencedLock lock = party.lock(name);
        Party doomed = doomedParty();
        Lease dying =
                doomed.lock(name, LockOptions.fixedLease(FIXED.multipliedBy(5))).acquire();
        Holder waiter = holdInTime(lock);
        awaitQueued(1);
        Await.until("a tryLock without a request; the waiter may ask again meanwhile", () -> {
            long requests = party.backend().requests();
            assertThat(lock.tryLock()).as("wanted here").isFalse();
            return party.backend().requests() == requests;
        });
        doomed.kill();
        FencedLock third = newLock();
        while (dying.isValid() || !waiter.isHolding()) {
            assertThat(third.tryLock()).as("wanted elsewhere").isFalse();
            pass(Duration.ofMillis(5));
        }
        waiter.release();
        awaitFree();
    }

    @Test
    void unlockDuringAnOutageReleasesLocallyAndIsRepeated() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name);
        FencedLock theirs = newLock();
        lock.lock();
        site.freeze();
        long start = System.nanoTime();
        lock.unlock();
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        ear.await(LockListener.Released.class);
        ear.await(LockListener.ReleaseFailed.class);
        Await.until("the release is repeated", () -> releases(party) >= 2);
        site.thaw();
        visitor(theirs).get(Duration.ofSeconds(5));
        awaitFree();
        assertThat(ear.all(LockListener.ReleaseFailed.class)).as("told once").hasSize(1);

        Lease brief = lock.withOptions(LockOptions.fixedLease(FIXED)).acquire();
        site.freeze();
        long begun = System.nanoTime();
        brief.release();
        Duration left = party.commandTimeout().minus(since(begun)); // most backends take it all
        pass(left.isNegative() ? Duration.ZERO : left);
        pass(FIXED.plus(TOLERANCE.dividedBy(5)));
        long repeated = releases(party);
        pass(party.commandTimeout().plus(TOLERANCE.dividedBy(5)));
        assertThat(releases(party)).as("its lease would have ended").isEqualTo(repeated);
        site.thaw();
        awaitFree();
    }

    @Test
    void aForgottenHoldIsRestoredWithItsTokenAndOnlyOneEvent() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        Lease lease = party.lock(name, SHORT).acquire();
        ear.await(LockListener.Acquired.class);
        for (Runnable oblivion : List.<Runnable>of(() -> site.deleteLock(name), site::flush)) {
            ear.events.clear();
            oblivion.run();
            ear.await(LockListener.Restored.class);
            assertThat(inspect().token()).isEqualTo(lease.fencingToken());
            pass(RENEWED.dividedBy(2));
            assertThat(ear.the(LockListener.Restored.class).fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(ear.events).hasSize(1);
            lease.ensureValid();
        }
        assertThat(newLock().tryLock()).isFalse();
        lease.release();
    }

    @Test
    void theClockEndsALeaseAndEveryUnwindingStepThrowsOnce() {
        Queue<Runnable> never = new ConcurrentLinkedQueue<>();
        Party party = party(ClientOptions.defaults().withCallbackExecutor(never::add));
        FencedLock lock = party.lock(name);

        Lease expired = twice(lock.withOptions(LockOptions.fixedLease(millis(100))));
        Await.until("the deadline passes", () -> expired.remaining().isZero());
        isLost(lock, expired, Reason.EXPIRED);

        Lease forced = twice(lock.withOptions(SHORT));
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        Await.until("the holder is notified", () -> !forced.isValid());
        isLost(lock, forced, Reason.TAKEN);

        Lease taken = twice(lock.withOptions(SHORT));
        FencedLock theirs = newLock();
        Await.until("another client has the lock", () -> {
            site.deleteLock(name);
            return theirs.tryLock();
        });
        Await.until("the holder is notified", () -> !taken.isValid());
        isLost(lock, taken, Reason.TAKEN);
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        theirs.unlock();
        lock.lock();
        lock.unlock();
        assertThat(never).as("callbacks that were not run").isNotEmpty();
    }

    @Test
    void closeIsBoundedAndIdempotentAndEndsAllWaitsAndHolds() {
        Party party = party();
        FencedLock lock = party.lock(name);
        FencedLock theirs = newLockNamed(name + ":theirs");
        theirs.lock();
        Task<?> waiter = run(party.lock(name + ":theirs")::lock);
        lock.lock();
        Lease lease = lock.acquire();
        Task<Throwable> local = start(() -> {
            try {
                lock.lockInterruptibly();
                return new AssertionError("held through a client that is closed");
            } catch (ClientClosedException e) {
                return e;
            }
        });
        local.awaitParked();
        waiter.awaitParked();
        party.client().close();
        party.client().close();
        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        assertThat(local.get()).isInstanceOf(ClientClosedException.class);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.CLOSED);
        assertThat(lease.isValid()).isFalse();
        assertThat(isFree(name)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::lock).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(ClientClosedException.class);
        assertThat(failureOf(lock.acquireAsync())).isInstanceOf(ClientClosedException.class);
        theirs.unlock();

        Duration shutdown = millis(300);
        Party slow = party(ClientOptions.defaults().withShutdownTime(shutdown));
        slow.lock(name, LockOptions.fixedLease(FIXED)).lock();
        site.freeze();
        long start = System.nanoTime();
        slow.client().close();
        assertThat(since(start)).isLessThan(shutdown.plus(TOLERANCE));
        site.thaw();
        visitor(newLock()).get(PROMPT);
    }

    /** Acquires a hold both as a lock and as a lease. */
    private static Lease twice(FencedLock lock) {
        lock.lock();
        return lock.acquire();
    }

    private static void isLost(FencedLock lock, Lease lease, Reason reason) {
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        for (ThrowingCallable step :
                List.<ThrowingCallable>of(lock::lock, lock::tryAcquire, lock::unlock, lease::release)) {
            assertThatThrownBy(step)
                    .isInstanceOfSatisfying(
                            LeaseLostException.class,
                            lost -> assertThat(lost.loss().reason()).isEqualTo(reason));
        }
        lease.release();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    /** Returns the time until the call fails because there is no answer. */
    private static Duration failsAfter(ThrowingCallable asking) {
        long start = System.nanoTime();
        assertThatThrownBy(asking)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue());
        return since(start);
    }

    private static long releases(Party party) {
        return party.backend().requests(command -> command instanceof Command.Release);
    }
}
