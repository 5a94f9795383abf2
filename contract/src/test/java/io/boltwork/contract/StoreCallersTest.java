// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.store.RecordBackend;
import io.boltwork.store.RecordStore;
import io.boltwork.testkit.wait.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that waits for a store executes its command itself, unless it may leave early. */
@Timeout(60)
class StoreCallersTest {
    private static final Set<String> STEPS = Set.of("read", "recall", "write");

    private final MapStore.Shared shared = new MapStore.Shared();

    /** The threads that have read or written a record. */
    private final List<Thread> users = new CopyOnWriteArrayList<>();

    private final AtomicReference<Runnable> beforeStep = new AtomicReference<>(() -> {});
    private final LockClient client = LockClient.create(RecordBackend.on(noted(new MapStore(shared))));
    private final FencedLock lock = client.lock("stock:1001");

    private RecordStore noted(RecordStore store) {
        return (RecordStore) Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(), new Class<?>[] {RecordStore.class}, (proxy, method, arguments) -> {
                    if (STEPS.contains(method.getName())) {
                        users.add(Thread.currentThread());
                        beforeStep.get().run();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** Waits until the store's threads have nothing left to do for the start of the client. */
    @BeforeEach
    void awaitIdleThreads() {
        Await.until(
                "the client announces itself",
                () -> !client.inspector().clients().isEmpty());
        Await.until("a caller takes the place of an idle thread", () -> {
            users.clear();
            lock.lock();
            lock.unlock();
            return users.stream().allMatch(Thread.currentThread()::equals);
        });
        users.clear();
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aCallerThatStaysExecutesItsCommands() {
        lock.lock();
        lock.unlock();
        lock.acquire().release();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(users).isNotEmpty().allMatch(Thread.currentThread()::equals);
    }

    @Test
    void commandsOfCallersThatMayLeaveAreExecutedForThem() throws Exception {
        lock.lockInterruptibly();
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isTrue(); // nested
        lock.unlock();
        assertThat(users).isNotEmpty().noneMatch(Thread.currentThread()::equals);
        lock.unlock();
        users.clear();
        assertThat(lock.tryLock(1_000, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(users).isNotEmpty().noneMatch(Thread.currentThread()::equals);
        lock.unlock();
        users.clear();
        lock.acquireAsync()
                .thenCompose(lease -> lease.releaseAsync())
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        assertThat(users).isNotEmpty().noneMatch(Thread.currentThread()::equals);
    }

    @Test
    void anInterruptThatCameBeforeDoesNotReachTheStore() {
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        beforeStep.set(() -> seen.add(Thread.currentThread().isInterrupted()));
        Thread.currentThread().interrupt();
        lock.lock();
        lock.unlock();
        assertThat(Thread.interrupted()).as("the caller is still interrupted").isTrue();
        assertThat(seen).isNotEmpty().containsOnly(false);
    }

    @Test
    void commandsThatMeetOthersAreSent() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        beforeStep.set(() -> {
            entered.countDown();
            try {
                left.await();
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        });
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            callers.add(new Thread(client.lock("stock:" + i)::lock));
        }
        callers.forEach(Thread::start);
        entered.await();
        Await.until(
                "each sleeps in the store or for its answer",
                () -> callers.stream().allMatch(StoreCallersTest::sleeps));
        left.countDown();
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(callers.stream().filter(users::contains)).hasSizeBetween(1, 2); // the store has two threads
    }

    private static boolean sleeps(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** An overflow inside of a driver could leave its connection half changed. */
    @Test
    void aCallerWhoseStackIsNearlyFullLeavesItsCommandToAThread() throws Exception {
        int[] pairs = {0};
        Thread caller = new Thread(null, () -> recurse(pairs), "deep", 512 * 1024);
        caller.start();
        caller.join();
        assertThat(pairs[0]).isPositive();
        assertThat(users).contains(caller).anyMatch(user -> user != caller);
        Await.until("the lock is free", () -> lock.tryAcquire().isPresent());
    }

    private void recurse(int[] pairs) {
        try {
            lock.lock();
            lock.unlock();
            pairs[0]++;
            spend(200, pairs);
        } catch (StackOverflowError end) {
            // it has to come
        }
    }

    private void spend(int frames, int[] pairs) {
        if (frames == 0) {
            recurse(pairs);
        } else {
            spend(frames - 1, pairs);
        }
    }
}
