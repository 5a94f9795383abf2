// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.contract.part.RecordingListener;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The events of holds, requests and connections: their order, and the calls of listeners. */
abstract class LockContractListening extends ContractPart {

    private static final LockOptions SENT = LockOptions.defaults().withRelease(LockOptions.Release.SENT);

    LockContractListening(LockSite site) {
        super(site);
    }

    @Test
    void anUncontendedPairIsReportedInOrderWithAllDetails() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name);
        lock.lock();
        long token = tokenOf(lock);
        pass(Duration.ofMillis(20));
        lock.unlock();
        ear.awaits(3);
        String self = Thread.currentThread().getName();
        assertThat(ear.the(LockListener.Waited.class)).satisfies(event -> {
            assertThat(event.lockName()).isEqualTo(name);
            assertThat(event.asker()).isEqualTo(self);
            assertThat(event.outcome()).isEqualTo(LockListener.Outcome.GRANTED);
            assertThat(event.waited()).isBetween(Duration.ZERO, TOLERANCE);
        });
        assertThat(ear.the(LockListener.Acquired.class)).satisfies(event -> {
            assertThat(event.lockName()).isEqualTo(name);
            assertThat(event.fencingToken()).isEqualTo(token);
            assertThat(event.owner()).isEqualTo("thread '" + self + "'");
            assertThat(event.waited()).isBetween(Duration.ZERO, TOLERANCE);
        });
        assertThat(ear.the(LockListener.Released.class)).satisfies(event -> {
            assertThat(event.lockName()).isEqualTo(name);
            assertThat(event.fencingToken()).isEqualTo(token);
            assertThat(event.owner()).isEqualTo("thread '" + self + "'");
            assertThat(event.held()).isBetween(Duration.ofMillis(20), TOLERANCE.plusMillis(20));
        });
        ear.heardInOrder(LockListener.Waited.class, LockListener.Acquired.class, LockListener.Released.class);
    }

    @Test
    void nestedAcquisitionsAreNotReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.lock();
        try (Lease nested = lock.acquire()) {
            assertThat(nested.isValid()).isTrue();
        }
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        lock.unlock();
        ear.awaits(3);
        ear.heardInOrder(LockListener.Waited.class, LockListener.Acquired.class, LockListener.Released.class);
    }

    @Test
    void asyncHoldsAreReportedAsHoldsOfHandles() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        get(party.lock(name).acquireAsync()).release();
        ear.awaits(3);
        String handle = "a handle of thread '" + Thread.currentThread().getName() + "'";
        assertThat(ear.the(LockListener.Acquired.class).owner()).isEqualTo(handle);
        assertThat(ear.the(LockListener.Released.class).owner()).isEqualTo(handle);
    }

    @Test
    void everyOutcomeOfARequestIsReported() throws Exception {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock ours = party.lock(name);
        assertThat(ours.tryLock()).isFalse();
        assertThat(ours.tryAcquire(Duration.ofMillis(100))).isEmpty();
        CompletableFuture<Lease> cancelled = ours.acquireAsync().toCompletableFuture();
        cancelled.cancel(true);
        Task<?> interrupted = run(ours::lockInterruptibly);
        awaitQueued(1);
        interrupted.interrupt();
        assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
        party.backend().loseReply(ContractPart::isTry);
        assertThatThrownBy(ours::tryLock).isInstanceOf(BackendException.class);
        ear.awaits(5);
        assertThat(ear.all(LockListener.Waited.class))
                .extracting(LockListener.Waited::outcome)
                .containsExactly(
                        LockListener.Outcome.REFUSED,
                        LockListener.Outcome.REFUSED,
                        LockListener.Outcome.CANCELLED,
                        LockListener.Outcome.CANCELLED,
                        LockListener.Outcome.FAILED);
        assertThat(ear.all(LockListener.Waited.class).get(1).waited())
                .isBetween(Duration.ofMillis(100), TOLERANCE.plusMillis(100));
        assertThat(ear.all(LockListener.Waited.class).get(3).asker()).isEqualTo(interrupted.name());
        assertThat(ear.events).hasSize(5);
        theirs.unlock();
    }

    @Test
    void aHandoverIsReportedBetweenTheTwoHolds() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        lock.lock();
        long token = tokenOf(lock);
        Holder next = holdInTime(lock);
        next.task().awaitParked();
        RecordingListener ear = RecordingListener.listenTo(party);
        lock.unlock();
        long nextToken = next.token();
        next.release();
        ear.awaits(5);
        LockListener.HandedOver handedOver = ear.the(LockListener.HandedOver.class);
        assertThat(handedOver)
                .isEqualTo(new LockListener.HandedOver(
                        LockKind.LOCK,
                        name,
                        token,
                        nextToken,
                        "thread '" + next.task().name() + "'"));
        ear.heardInOrder(
                LockListener.Released.class,
                LockListener.HandedOver.class,
                LockListener.Waited.class,
                LockListener.Acquired.class,
                LockListener.Released.class);
        assertThat(ear.all(LockListener.Released.class))
                .extracting(LockListener.Released::fencingToken)
                .containsExactly(token, nextToken);
    }

    @Test
    void anExpiryIsReportedInsteadOfTheRelease() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        long asked = System.nanoTime();
        Lease lease = party.lock(name, LockOptions.fixedLease(millis(200))).acquire();
        Duration onItsWay = Duration.ofNanos(System.nanoTime() - asked);
        LockListener.Lost lost = ear.await(LockListener.Lost.class);
        assertThat(lost.lockName()).isEqualTo(name);
        assertThat(lost.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(lost.owner()).contains(Thread.currentThread().getName());
        assertThat(lost.held())
                .isBetween(millis(150).minus(onItsWay), millis(200).plus(TOLERANCE));
        assertThat(lost.loss()).isEqualTo(get(lease.whenLost()));
        assertThat(lost.loss().reason()).isEqualTo(Reason.EXPIRED);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        awaitFree();
        ear.heardInOrder(LockListener.Waited.class, LockListener.Acquired.class, LockListener.Lost.class);
    }

    @Test
    void everyReasonOfALossIsReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock ours = party.lock(name, LockOptions.renewedLease(RENEWED));
        Lease forced = ours.acquire();
        assertThat(party().client().inspector().forceRelease(name)).isTrue();
        assertThat(ear.await(LockListener.Lost.class).loss())
                .satisfies(loss -> isLoss(loss, forced, Reason.TAKEN))
                .isEqualTo(get(forced.whenLost()));
        assertThatThrownBy(forced::release).isInstanceOf(LeaseLostException.class);
        ear.events.clear();

        Lease taken = ours.acquire();
        FencedLock theirs = newLock();
        Await.until("another client has the lock", () -> {
            site.deleteLock(name);
            return theirs.tryLock();
        });
        assertThat(ear.await(LockListener.Lost.class).loss()).satisfies(loss -> isLoss(loss, taken, Reason.TAKEN));
        assertThatThrownBy(taken::release).isInstanceOf(LeaseLostException.class);
        theirs.unlock();
        ear.events.clear();

        Lease overlong = ours.withOptions(LockOptions.defaults().withMaxHold(millis(100)))
                .acquire();
        assertThat(ear.await(LockListener.Lost.class).loss())
                .satisfies(loss -> isLoss(loss, overlong, Reason.MAX_HOLD));
        assertThatThrownBy(overlong::release).isInstanceOf(LeaseLostException.class);
        ear.events.clear();

        Lease closed = ours.acquire();
        party.client().close();
        assertThat(ear.await(LockListener.Lost.class).loss()).satisfies(loss -> isLoss(loss, closed, Reason.CLOSED));
    }

    @Test
    void waitersOfAClosedClientAreReportedAsFailed() {
        FencedLock theirs = heldElsewhere();
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        Task<?> waiter = run(party.lock(name)::lock);
        awaitQueued(1);
        party.client().close();
        assertThat(ear.await(LockListener.Waited.class).outcome()).isEqualTo(LockListener.Outcome.FAILED);
        assertThat(waiter.failure()).hasMessageContaining(name);
        theirs.unlock();
    }

    @Test
    void aRestoredHoldIsReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        Lease lease = party.lock(name, LockOptions.renewedLease(RENEWED)).acquire();
        site.deleteLock(name);
        assertThat(ear.await(LockListener.Restored.class))
                .isEqualTo(new LockListener.Restored(
                        LockKind.LOCK,
                        name,
                        lease.fencingToken(),
                        "thread '" + Thread.currentThread().getName() + "'"));
        assertThat(lease.isValid()).isTrue();
        lease.release();
        ear.await(LockListener.Released.class);
        ear.heardInOrder(
                LockListener.Waited.class,
                LockListener.Acquired.class,
                LockListener.Restored.class,
                LockListener.Released.class);
    }

    @Test
    void anEndedThreadsHoldIsReportedAbandonedAndThenLost() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        Task<Long> forgetful = start(() -> {
            FencedLock lock = party.lock(name, LockOptions.renewedLease(RENEWED));
            lock.lock();
            return tokenOf(lock);
        });
        LockListener.Abandoned abandoned = ear.await(LockListener.Abandoned.class);
        assertThat(abandoned)
                .isEqualTo(new LockListener.Abandoned(
                        LockKind.LOCK,
                        name,
                        forgetful.get(),
                        "thread '" + forgetful.name() + "'",
                        LockListener.Absence.THREAD_ENDED));
        site.disconnectAll(); // all holds are verified after that
        visitor(newLock()).get(RENEWED.plus(PROMPT));
        assertThat(ear.await(LockListener.Lost.class).loss().reason()).isEqualTo(Reason.EXPIRED);
        ear.events.removeIf(
                event -> event instanceof LockListener.BackendDown || event instanceof LockListener.BackendUp);
        ear.heardInOrder(
                LockListener.Waited.class,
                LockListener.Acquired.class,
                LockListener.Abandoned.class,
                LockListener.Lost.class);
    }

    @Test
    void anUnreachableLeaseIsReportedAbandonedAndThenLost() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        LockOptions options = LockOptions.renewedLease(RENEWED);
        long token = party.lock(name, options).acquire().fencingToken();
        long async = get(party.lock(name + ":async", options).acquireAsync().thenApply(Lease::fencingToken));
        Await.until("both are abandoned", () -> {
            System.gc();
            pass(Duration.ofMillis(50));
            return ear.all(LockListener.Abandoned.class).size() == 2;
        });
        assertThat(ear.all(LockListener.Abandoned.class))
                .allSatisfy(event -> assertThat(event.absence()).isEqualTo(LockListener.Absence.LEASE_UNREACHABLE))
                .allSatisfy(event -> assertThat(event.owner())
                        .contains(Thread.currentThread().getName()))
                .extracting(LockListener.Abandoned::fencingToken)
                .containsExactlyInAnyOrder(token, async);
        visitor(newLock()).get(RENEWED.plus(PROMPT));
        visitor(newLockNamed(name + ":async")).get(RENEWED.plus(PROMPT));
    }

    @Test
    void aHoldWithARemainingLeaseIsNotAbandoned() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name, LockOptions.renewedLease(RENEWED));
        Task<Lease> acquirer = start(() -> {
            Lease outer = lock.acquire();
            assertThat(lock.acquire().fencingToken()).isEqualTo(outer.fencingToken()); // and forgotten
            return outer;
        });
        Lease left = acquirer.get();
        acquirer.awaitEnd();
        for (int i = 0; i < 3; i++) {
            System.gc();
            pass(RENEWED.dividedBy(2));
        }
        assertThat(left.isValid()).isTrue();
        assertThat(ear.all(LockListener.Abandoned.class)).isEmpty();
        left.release();
    }

    @Test
    void anUnansweredReleaseIsReportedAfterTheRelease() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name);
        lock.lock();
        long token = tokenOf(lock);
        site.freeze();
        lock.unlock();
        assertThat(ear.await(LockListener.ReleaseFailed.class))
                .isEqualTo(new LockListener.ReleaseFailed(
                        LockKind.LOCK,
                        name,
                        token,
                        "thread '" + Thread.currentThread().getName() + "'"));
        // a server that is silent for so long may count as lost before
        ear.heardOfLocksInOrder(
                LockListener.Waited.class,
                LockListener.Acquired.class,
                LockListener.Released.class,
                LockListener.ReleaseFailed.class);
        site.thaw();
        awaitFree();
    }

    // ================================================================ releases that are not awaited

    @Test
    void aSentReleaseTakesTheSameRequestsAndKeepsTheOrder() {
        Party party = party();
        FencedLock lock = party.lock(name, SENT);
        long before = party.backend().requests();
        long token = 0;
        for (int i = 0; i < 100; i++) {
            assertThat(lock.tryLock()).as("just released").isTrue();
            assertThat(tokenOf(lock)).isGreaterThan(token);
            token = tokenOf(lock);
            lock.unlock();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        }
        awaitFree();
        assertThat(party.backend()
                        .requests(command -> command instanceof Command.Acquire || command instanceof Command.Release))
                .isEqualTo(200);
        assertThat(party.backend().requests() - before).isGreaterThanOrEqualTo(200);
    }

    @Test
    void aSentReleaseReturnsWithoutAnAnswerAndThatIsReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name, SENT);
        lock.lock();
        site.freeze();
        long start = System.nanoTime();
        lock.unlock();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(took).isLessThan(party.backend().commandTimeout().dividedBy(2));
        assertThat(ear.await(LockListener.ReleaseFailed.class).lockName()).isEqualTo(name);
        site.thaw();
        awaitFree();
    }

    @Test
    void aSentReleaseReportsALocallyUnknownLossWithoutThrowing() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        Lease lease = party.lock(name, SENT).acquire();
        site.deleteLock(name);
        FencedLock theirs = newLock();
        assertThat(theirs.tryLock()).isTrue();
        lease.release();
        assertThat(ear.await(LockListener.Lost.class).loss()).satisfies(loss -> isLoss(loss, lease, Reason.TAKEN));
        assertThat(theirs.isHeldByCurrentThread()).isTrue();
        theirs.unlock();
    }

    @Test
    void aSentReleaseThrowsALocallyKnownLoss() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED).withRelease(LockOptions.Release.SENT));
        Lease lease = lock.acquire();
        Await.until("its lease is over", () -> !lease.isValid());
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void brokenAndNewConnectionsAreReported() {
        Party party = party();
        RecordingListener ear = RecordingListener.listenTo(party);
        site.disconnectAll();
        LockListener.BackendDown down = ear.await(LockListener.BackendDown.class);
        LockListener.BackendUp up = ear.await(LockListener.BackendUp.class);
        assertThat(up.backend()).isEqualTo(down.backend()).isNotBlank();
        assertThat(up.outage()).isBetween(Duration.ZERO, Slack.seconds(10));
        assertThat(up.anotherServer()).isFalse();
        assertThat(ear.events.indexOf(down)).isLessThan(ear.events.indexOf(up));
        site.restartEmpty();
        Await.until(
                "another server",
                () -> ear.all(LockListener.BackendUp.class).stream().anyMatch(LockListener.BackendUp::anotherServer));
    }

    @Test
    void listenersRunOnTheCallbackExecutorNotOnBackendThreads() {
        Party party = party(ClientOptions.defaults().withCallbackExecutor(executor("my-callbacks")));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        RecordingListener ear = RecordingListener.listenTo(party);
        party.client().addListener(new RecordingListener() {
            @Override
            public void heard(Record event) {
                threads.add(Thread.currentThread().getName());
                assertThat(party.backend().isDelivering()).isFalse();
            }
        });
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(party.lock(name));
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT);
        site.disconnectAll();
        ear.await(LockListener.BackendUp.class);
        ear.await(LockListener.Released.class);
        Await.until("the other one has heard, too", () -> !threads.isEmpty());
        assertThat(threads).containsExactly("my-callbacks");
    }

    @Test
    void aListenersExecutorGetsEventsInOrderWithoutTheClients() {
        AtomicInteger callbacks = new AtomicInteger();
        Executor counting = task -> {
            callbacks.incrementAndGet();
            task.run();
        };
        Party party = party(ClientOptions.defaults().withCallbackExecutor(counting));
        RecordingListener ear = new RecordingListener();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        party.client().addListener(ear, task -> {
            threads.add(Thread.currentThread());
            task.run();
        });
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.unlock();
        ear.await(LockListener.Released.class);
        ear.heardOfLocksInOrder(LockListener.Waited.class, LockListener.Acquired.class, LockListener.Released.class);
        assertThat(threads).isNotEmpty();
        assertThat(callbacks).hasValue(0);
        party.client().removeListener(ear);
        visitor(lock).get(PROMPT);
        assertThat(ear.all(LockListener.Released.class)).hasSize(1);
    }

    @Test
    void aListenersExecutorGetsRemoteGrantsAndLostConnections() {
        AtomicInteger callbacks = new AtomicInteger();
        Party party = party(ClientOptions.defaults().withCallbackExecutor(task -> {
            callbacks.incrementAndGet();
            task.run();
        }));
        RecordingListener ear = new RecordingListener();
        ExecutorService own = oneThread("my-listener");
        Set<String> threads = ConcurrentHashMap.newKeySet();
        party.client()
                .addListener(
                        ear,
                        task -> own.execute(() -> {
                            threads.add(Thread.currentThread().getName());
                            task.run();
                        }));
        FencedLock theirs = heldElsewhere();
        Task<Long> waiter = visitor(party.lock(name));
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT);
        ear.await(LockListener.Released.class);
        ear.heardOfLocksInOrder(LockListener.Waited.class, LockListener.Acquired.class, LockListener.Released.class);
        site.disconnectAll();
        ear.await(LockListener.BackendDown.class);
        ear.await(LockListener.BackendUp.class);
        assertThat(threads).containsExactly("my-listener");
        assertThat(callbacks).hasValue(0);
    }

    @Test
    void aThrowingExecutorHarmsNoLockAndDropsNoCallback() {
        Executor broken = task -> {
            throw new OutOfMemoryError("unable to create native thread: on purpose");
        };
        Party party = party(ClientOptions.defaults().withCallbackExecutor(broken));
        RecordingListener ear = RecordingListener.listenTo(party);
        RecordingListener other = new RecordingListener();
        party.client().addListener(other, broken);
        FencedLock theirs = heldElsewhere();
        FencedLock lock = party.lock(name);
        Task<Long> waiter = visitor(lock);
        awaitQueued(1);
        theirs.unlock();
        waiter.get(PROMPT);
        lock.lock();
        lock.unlock();
        get(lock.acquireAsync()).release();
        for (RecordingListener each : List.of(ear, other)) {
            Await.until(
                    "three have left",
                    () -> each.all(LockListener.Released.class).size() == 3);
        }
        site.disconnectAll();
        for (RecordingListener each : List.of(ear, other)) {
            each.await(LockListener.BackendUp.class);
        }
        visitor(lock).get(PROMPT);
    }

    @Test
    void aThrowingListenerHarmsNoLockAndNoOtherListener() {
        Party party = party();
        RecordingListener before = RecordingListener.listenTo(party);
        party.client().addListener(new RecordingListener() {
            @Override
            public void heard(Record event) {
                throw new AssertionError("the listener's own");
            }
        });
        RecordingListener after = RecordingListener.listenTo(party);
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.unlock();
        before.awaits(3);
        after.awaits(3);
        lock.lock();
        lock.unlock();
        before.awaits(6);
        assertThat(get(lock.acquireAsync())).satisfies(Lease::release);
    }

    @Test
    void aBlockingListenerDelaysOnlyCallbacksOfThatLock() {
        Party party = party();
        CountDownLatch gate = new CountDownLatch(1);
        RecordingListener ear = RecordingListener.listenTo(party);
        party.client().addListener(new RecordingListener() {
            @Override
            public void heard(Record event) {
                if (event instanceof LockListener.Acquired acquired
                        && acquired.lockName().equals(name)) {
                    ContractPart.await(gate);
                }
            }
        });
        try {
            FencedLock lock = party.lock(name, LockOptions.renewedLease(RENEWED));
            for (int i = 0; i < 3; i++) {
                lock.lock();
                lock.unlock();
            }
            visitor(newLock()).get(PROMPT);
            Lease lease = lock.acquire();
            pass(RENEWED.multipliedBy(3).dividedBy(2));
            assertThat(lease.isValid()).isTrue();
            FencedLock other = party.lock(name + ":other");
            get(other.acquireAsync()).release();
            Await.until(
                    "events of the other lock arrive",
                    () -> ear.all(LockListener.Released.class).stream()
                            .anyMatch(event -> event.lockName().equals(other.name())));
            assertThat(ear.all(LockListener.Released.class))
                    .extracting(LockListener.Released::lockName)
                    .containsExactly(other.name());
            lease.release();
        } finally {
            gate.countDown();
        }
        Await.until(
                "the delayed events arrive",
                () -> ear.all(LockListener.Released.class).size() == 5);
    }

    @Test
    void aListenerMayUseTheLockOfItsEvent() {
        Party party = party();
        FencedLock lock = party.lock(name);
        CompletableFuture<Long> again = new CompletableFuture<>();
        party.client().addListener(new LockListener() {
            @Override
            public void released(Released event) {
                if (!again.isDone()) {
                    try (Lease lease = lock.acquire()) {
                        again.complete(lease.fencingToken() - event.fencingToken());
                    }
                }
            }
        });
        lock.lock();
        lock.unlock();
        assertThat(get(again)).isPositive();
    }

    @Test
    void aRemovedListenerHearsNothingAndADoubledOneHearsTwice() {
        Party party = party();
        RecordingListener removed = RecordingListener.listenTo(party);
        RecordingListener twice = RecordingListener.listenTo(party);
        party.client().addListener(twice);
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.unlock();
        removed.awaits(3);
        twice.awaits(6);
        party.client().removeListener(removed);
        party.client().removeListener(removed);
        lock.lock();
        lock.unlock();
        twice.awaits(12);
        assertThat(removed.events).hasSize(3);
    }

    private void isLoss(LeaseLoss loss, Lease lease, Reason reason) {
        assertThat(loss.lockName()).isEqualTo(name);
        assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(loss.reason()).isEqualTo(reason);
    }
}
