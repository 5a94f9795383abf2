// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.contract.part.RecordingListener;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The owners of holds: threads and handles, their options, interrupts and callbacks. {@code docs/inside/guarantees.md}
 * names these tests, as those of {@link LockContractBadDays}.
 */
abstract class LockContractOwners extends ContractPart {

    private static final LockOptions SHORT = LockOptions.renewedLease(RENEWED);

    LockContractOwners(LockSite site) {
        super(site);
    }

    @Test
    void aWrongUnlockNamesTheHolderAndASecondReleaseDoesNothing() {
        FencedLock lock = newLock();
        String self = Thread.currentThread().getName();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContainingAll(name, self);
        Holder holder = hold(lock);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContainingAll(name, self, holder.task().name());
        holder.release();
        Lease lease = lock.acquire();
        lease.release();
        lock.lock();
        lease.release();
        lease.close();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void aThreadHasOneHoldAndAHandleWorksOnAnyThread() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        Lease lease = lock.acquire();
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(3);
        assertThat(lease.fencingToken()).isEqualTo(tokenOf(lock));
        lock.unlock();
        lock.unlock();
        assertThatThrownBy(lock::unlock).as("undoes only lock()s").isInstanceOf(IllegalMonitorStateException.class);
        assertThat(releases(party)).isZero();
        run(lease::release).get();
        assertThat(releases(party)).isEqualTo(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();

        Lease async = get(lock.acquireAsync());
        assertThat(lock.tryLock()).as("not reentrant").isFalse();
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = into(warnings);
        Logger.getLogger("io.boltwork").addHandler(handler);
        try {
            CompletableFuture<Lease> selfBlocked = new CompletableFuture<>();
            Task<?> asker = run(() -> {
                Lease mine = get(party.lock(name + ":self").acquireAsync());
                Task<?> rescuer = run(() -> {
                    Await.until("a warning", () -> !warnings.isEmpty());
                    mine.release();
                });
                selfBlocked.complete(party.lock(name + ":self").acquire());
                rescuer.get();
                get(selfBlocked).release();
            });
            asker.get();
            assertThat(warnings).anySatisfy(warning -> assertThat(warning).contains(name + ":self", asker.name()));
        } finally {
            Logger.getLogger("io.boltwork").removeHandler(handler);
        }
        async.release();
    }

    @Test
    void aDeadThreadsHoldIsRenewedForItsHandleAndThenReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name, SHORT);
        Task<Lease> owner = start(() -> {
            lock.lock();
            return lock.acquire();
        });
        Lease open = owner.get();
        owner.awaitEnd();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        assertThat(open.isValid()).isTrue();
        assertThat(ear.all(LockListener.Abandoned.class)).isEmpty();
        open.release();
        LockListener.Abandoned abandoned = ear.await(LockListener.Abandoned.class);
        assertThat(abandoned.absence()).isEqualTo(LockListener.Absence.THREAD_ENDED);
        assertThat(abandoned.lockName()).isEqualTo(name);
        assertThat(abandoned.owner()).contains(owner.name());
        visitor(newLock()).get(RENEWED.plus(PROMPT));
    }

    @Test
    void theOptionsOfTheOutermostAcquisitionApply() {
        Party party = party();
        FencedLock lock = party.lock(name);
        Lease renewed = lock.withOptions(SHORT).acquire();
        lock.lock(Duration.ofMillis(10));
        lock.withOptions(LockOptions.fixedLease(Duration.ofMillis(10)).withMaxHold(Duration.ofMillis(10)))
                .lock();
        pass(RENEWED.multipliedBy(3).dividedBy(2));
        renewed.ensureValid();
        assertThat(lock.holdCount()).isEqualTo(3);
        lock.unlock();
        lock.unlock();
        renewed.release();

        long renewals = renewals(party);
        Lease fixed = lock.withOptions(LockOptions.fixedLease(millis(300))).acquire();
        lock.withOptions(LockOptions.renewedLease(Duration.ofMillis(100))).lock();
        assertThat(get(fixed.whenLost()).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(renewals(party)).isEqualTo(renewals);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(fixed::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void mixedFairnessIsAllowedAndNoHandoverOvertakesAFifoRequest() {
        needsQueue();
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock batched = party.lock(name);
        FencedLock fifo = batched.withOptions(LockOptions.defaults().withFairness(Fairness.FIFO));
        List<String> served = new ArrayList<>(); // guarded by the lock
        batched.lock();
        RecordingListener ear = RecordingListener.listenTo(party);
        Task<?> first = signs("batched 1", batched, served);
        Task<?> second = signs("fifo", fifo, served);
        awaitQueued(1);
        Task<?> third = signs("batched 2", batched, served);
        batched.unlock();
        List.of(first, second, third).forEach(Task::get);
        assertThat(served).containsExactly("fifo", "batched 1", "batched 2");
        Await.until(
                "all releases are reported",
                () -> ear.all(LockListener.Released.class).size() == 4);
        List<LockListener.Released> ends = ear.all(LockListener.Released.class);
        assertThat(ear.all(LockListener.HandedOver.class))
                .extracting(LockListener.HandedOver::previousToken)
                .doesNotContain(ends.get(0).fencingToken(), ends.get(1).fencingToken());
    }

    @Test
    void extendTakesOneRoundTripNeverShortensAndRenewalGoesOn() {
        Party party = party();
        Lease lease = party.lock(name, LockOptions.renewedLease(millis(3_000))).acquire();
        long requests = party.backend().requests();
        long start = System.nanoTime();
        lease.extend(millis(4_000));
        Duration remaining = lease.remaining();
        assertThat(remaining).isGreaterThanOrEqualTo(millis(4_000).minus(since(start)));
        assertThat(party.backend().requests() - requests).isEqualTo(1);
        long shorter = System.nanoTime();
        lease.extend(Duration.ofMillis(1));
        remaining = lease.remaining();
        assertThat(remaining).isGreaterThanOrEqualTo(millis(4_000).minus(since(start)));
        assertThat(since(shorter)).isLessThan(TOLERANCE);
        Await.until("renewal goes on", () -> renewals(party) > 2);
        lease.release();
    }

    @Test
    void aLockWithAMinHoldStaysTakenAfterUnlockReturns() {
        Duration minHold = millis(800);
        FencedLock ours = newLock().withOptions(LockOptions.defaults().withMinHold(minHold));
        long start = System.nanoTime();
        ours.lock();
        Task<Long> next = visitor(newLock());
        awaitQueued(1);
        ours.unlock();
        assertThat(since(start)).isLessThan(minHold);
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThat(ours.isLocked()).isTrue();
        assertThat(Duration.ofNanos(next.get(minHold.plus(PROMPT)) - start))
                .isGreaterThanOrEqualTo(minHold.minusMillis(5));
    }

    @Test
    void interruptsAreIgnoredOrThrownAndLeaveNothingBehind() throws Exception {
        FencedLock lock = newLock();
        Thread self = Thread.currentThread();
        self.interrupt();
        lock.lock();
        Lease lease = lock.acquire();
        lock.unlock();
        lease.release();
        assertThat(Thread.interrupted()).as("the flag is kept").isTrue();

        List<ThrowingCallable> interruptible = List.of(
                lock::lockInterruptibly,
                lock::acquireInterruptibly,
                () -> lock.tryLock(1, TimeUnit.MINUTES),
                () -> lock.tryLock(Duration.ofMinutes(1), Duration.ofMinutes(1)),
                () -> lock.tryAcquire(Duration.ofMinutes(1)),
                () -> lock.run(Duration.ofMinutes(1), () -> {}),
                () -> lock.call(Duration.ofMinutes(1), () -> true));
        for (ThrowingCallable form : interruptible) {
            self.interrupt();
            assertThatThrownBy(form).isInstanceOf(InterruptedException.class);
            assertThat(self.isInterrupted()).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        }
        awaitFree();

        FencedLock theirs = heldElsewhere();
        for (ThrowingCallable form : interruptible) {
            Task<?> waiter = run(() -> assertThatThrownBy(form).isInstanceOf(InterruptedException.class));
            awaitQueued(1);
            waiter.interrupt();
            waiter.get(PROMPT);
            awaitQueued(0);
        }
        Task<Boolean> patient = start(() -> {
            lock.lock();
            lock.unlock();
            return Thread.interrupted();
        });
        awaitQueued(1);
        patient.interrupt();
        pass(Duration.ofMillis(50));
        assertThat(patient.isDone()).isFalse();
        theirs.unlock();
        assertThat(patient.get(PROMPT)).isTrue();
    }

    @Test
    void onLossInterruptComesOnlyWhileHeldAndNotToAsyncLeases() {
        LockOptions options = LockOptions.fixedLease(FIXED).withOnLoss(OnLoss.INTERRUPT);
        FencedLock lock = newLock().withOptions(options);
        assertThatThrownBy(lock::acquireAsync).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> lock.tryAcquireAsync(Duration.ZERO)).isInstanceOf(UnsupportedOperationException.class);
        run(() -> {
                    lock.lock();
                    assertThatThrownBy(() -> Thread.sleep(60_000)).isInstanceOf(InterruptedException.class);
                    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
                    lock.lock();
                    lock.unlock();
                    Thread.sleep(millis(300).toMillis());
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                })
                .get();
    }

    @Test
    void callbacksRunInOrderAndMayThrowBlockAndReenter() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(executor("my-callbacks")));
        FencedLock lock = party.lock(name);
        CountDownLatch gate = new CountDownLatch(1);
        List<String> threads = new CopyOnWriteArrayList<>();
        RecordingListener ear = misbehaving(party, gate, threads);
        party.client().addListener(ear);
        Lease lease = lock.acquire();
        CompletableFuture<?> loss = lease.whenLost().toCompletableFuture();
        lease.release();
        FencedLock theirs = heldElsewhere();
        CompletableFuture<Lease> cancelled = lock.acquireAsync().toCompletableFuture();
        awaitQueued(1);
        assertThat(cancelled.cancel(true)).isTrue();
        awaitQueued(0);
        theirs.unlock();
        gate.countDown();
        Await.until("the cancelled request is reported", () -> of(ear, name).size() == 4);
        assertThat(of(ear, name))
                .containsExactly(
                        LockListener.Waited.class,
                        LockListener.Acquired.class,
                        LockListener.Released.class,
                        LockListener.Waited.class);
        theirs.lock();
        CompletableFuture<String> thread = lock.acquireAsync()
                .thenApply(held -> {
                    held.release();
                    return Thread.currentThread().getName();
                })
                .toCompletableFuture();
        awaitQueued(1);
        theirs.unlock();
        assertThat(get(thread)).isEqualTo("my-callbacks");
        assertThat(threads).containsOnly("my-callbacks");
        assertThat(loss).as("whenLost after a clean release").isNotDone();
    }

    /**
     * Returns a listener that blocks and throws on the acquisition of the lock, and uses another lock on its release.
     * It records the threads on which it is called.
     */
    private RecordingListener misbehaving(Party party, CountDownLatch gate, List<String> threads) {
        return new RecordingListener() {
            @Override
            public void heard(Record event) {
                threads.add(Thread.currentThread().getName());
                assertThat(party.backend().isDelivering()).isFalse();
                super.heard(event);
                if (event instanceof LockListener.Acquired acquired
                        && acquired.lockName().equals(name)) {
                    ContractPart.await(gate);
                    throw new IllegalStateException("thrown by the listener");
                }
                if (event instanceof LockListener.Released released
                        && released.lockName().equals(name)) {
                    party.lock(name + ":nested").lock();
                    party.lock(name + ":nested").unlock();
                }
            }
        };
    }

    /** Starts a thread that waits for the lock and records that it got the lock. */
    private Task<?> signs(String who, FencedLock lock, List<String> served) {
        Task<?> task = run(() -> {
            lock.lock();
            served.add(who);
            lock.unlock();
        });
        task.awaitParked();
        return task;
    }

    private static List<Class<?>> of(RecordingListener ear, String lock) {
        List<Class<?>> kinds = new ArrayList<>();
        for (Record event : ear.events) {
            if (event.toString().contains("lockName=" + lock + ",")) {
                kinds.add(event.getClass());
            }
        }
        return kinds;
    }

    private static long releases(Party party) {
        return party.backend().requests(command -> command instanceof Command.Release);
    }

    private static long renewals(Party party) {
        return party.backend().requests(ContractPart::prolongs);
    }

    /** Returns a handler that collects warnings. */
    private static Handler into(List<String> warnings) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                    warnings.add(new java.util.logging.SimpleFormatter().formatMessage(entry));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
