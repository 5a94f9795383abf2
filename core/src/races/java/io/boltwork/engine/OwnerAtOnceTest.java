// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.memory.MemoryBackend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that want a lock for one owner at the same moment. Each holds it until all do, so none may wait for another.
 */
@Timeout(120)
class OwnerAtOnceTest {
    private static final int ROUNDS = 2_000;
    private static final int THREADS = 3;

    private final LockClient client = LockClient.create(MemoryBackend.create());
    private final LockOwner order = LockOwner.create("order 42");

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void noCallWaitsForAnother() throws Exception {
        enterTogether(LockOptions.Fairness.BATCHED);
    }

    @Test
    void noCallWaitsForAnotherInLine() throws Exception {
        enterTogether(LockOptions.Fairness.FIFO);
    }

    private void enterTogether(LockOptions.Fairness fairness) throws Exception {
        FencedLock lock = client.lock("lock", LockOptions.defaults().withFairness(fairness))
                .ownedBy(order);
        CyclicBarrier together = new CyclicBarrier(THREADS);
        CompletableFuture<?>[] all = new CompletableFuture<?>[THREADS];
        for (int i = 0; i < THREADS; i++) {
            boolean asLease = i == 0;
            boolean later = i == 1;
            all[i] = new CompletableFuture<>();
            CompletableFuture<?> end = all[i];
            Thread thread = new Thread(() -> {
                try {
                    for (int round = 0; round < ROUNDS; round++) {
                        enter(lock, asLease, later, together);
                    }
                    end.complete(null);
                } catch (Exception | AssertionError e) {
                    end.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        CompletableFuture.allOf(all).get(100, TimeUnit.SECONDS);
        assertThat(lock.holdCount()).isZero();
        assertThat(client.lock("lock").isLocked()).isFalse();
    }

    private static void enter(FencedLock lock, boolean asLease, boolean later, CyclicBarrier together)
            throws Exception {
        together.await(20, TimeUnit.SECONDS);
        Lease lease = null;
        if (later) {
            lease = lock.acquireAsync().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } else if (asLease) {
            lease = lock.acquire();
        } else {
            lock.lock();
        }
        together.await(20, TimeUnit.SECONDS);
        if (lease == null) {
            lock.unlock();
        } else {
            lease.release();
        }
    }

    @Test
    void leasesThatAreGivenAtOnceAreAllCounted() throws Exception {
        FencedLock lock = client.lock("lock").ownedBy(order);
        try (Lease outer = lock.acquire()) {
            AtomicInteger released = new AtomicInteger();
            CompletableFuture<?>[] all = new CompletableFuture<?>[THREADS];
            for (int i = 0; i < THREADS; i++) {
                all[i] = CompletableFuture.runAsync(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        lock.acquire().release();
                        released.incrementAndGet();
                    }
                });
            }
            CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
            assertThat(released).hasValue(THREADS * ROUNDS);
            assertThat(lock.holdCount()).isEqualTo(1);
            assertThat(outer.isValid()).isTrue();
        }
    }
}
