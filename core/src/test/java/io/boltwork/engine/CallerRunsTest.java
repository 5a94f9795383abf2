// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A callback executor whose only thread is blocked, and which therefore runs tasks on their caller. */
class CallerRunsTest {

    @Test
    void locksWorkWhileTheirCallbacksBlock() throws InterruptedException {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicReference<Thread> calledOn = new AtomicReference<>();
        executor.execute(() -> sleepOn(blocked));
        try (LockClient client = LockClient.create(
                MemoryBackend.on(MemoryServer.create()),
                ClientOptions.defaults().withCallbackExecutor(executor))) {
            FencedLock lock = client.lock("held").withOptions(LockOptions.renewedLease(Duration.ofSeconds(3)));
            try (Lease held = lock.acquire()) {
                CountDownLatch called = new CountDownLatch(1);
                Lease before = client.lock("another").acquire();
                client.lock("another")
                        .acquireAsync()
                        .thenAccept(
                                lease -> { // it must wait, so this thread does not run it
                                    calledOn.set(Thread.currentThread());
                                    called.countDown();
                                    sleepOn(blocked);
                                });
                before.release();
                assertThat(called.await(10, TimeUnit.SECONDS))
                        .as("the callback was called")
                        .isTrue();
                assertThat(calledOn.get().getName()).startsWith("boltwork-callback");
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4); // more than a lease
                do {
                    try (Lease other = client.lock("third").acquire()) {
                        assertThat(other.isValid()).isTrue();
                    }
                    assertThat(held.isValid()).as("the lease is renewed").isTrue();
                    TimeUnit.MILLISECONDS.sleep(50);
                } while (System.nanoTime() < end);
            } finally {
                blocked.countDown();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void sleepOn(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
