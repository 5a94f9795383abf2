// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
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

/** The calls of listeners: connections, executors, failing and blocking listeners. */
abstract class LockContractListenerCalls extends LockContractPart {

    LockContractListenerCalls(LockSite site) {
        super(site);
    }

    @Test
    void brokenAndNewConnectionsAreReported() {
        Party party = party();
        Ear ear = Ear.listenTo(party);
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
        Ear ear = Ear.listenTo(party);
        party.client().addListener(new Ear() {
            @Override
            void heard(Record event) {
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
        Ear ear = new Ear();
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
        Ear ear = new Ear();
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
        Ear ear = Ear.listenTo(party);
        Ear other = new Ear();
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
        for (Ear each : List.of(ear, other)) {
            Await.until(
                    "three have left",
                    () -> each.all(LockListener.Released.class).size() == 3);
        }
        site.disconnectAll();
        for (Ear each : List.of(ear, other)) {
            each.await(LockListener.BackendUp.class);
        }
        visitor(lock).get(PROMPT);
    }

    @Test
    void aThrowingListenerHarmsNoLockAndNoOtherListener() {
        Party party = party();
        Ear before = Ear.listenTo(party);
        party.client().addListener(new Ear() {
            @Override
            void heard(Record event) {
                throw new AssertionError("the listener's own");
            }
        });
        Ear after = Ear.listenTo(party);
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
        Ear ear = Ear.listenTo(party);
        party.client().addListener(new Ear() {
            @Override
            void heard(Record event) {
                if (event instanceof LockListener.Acquired acquired
                        && acquired.lockName().equals(name)) {
                    LockContractPart.await(gate);
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
        Ear removed = Ear.listenTo(party);
        Ear twice = Ear.listenTo(party);
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
}
