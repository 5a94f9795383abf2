// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waiting for holders before a client is closed, and what the log says about those that are cut off. */
class CutOffHoldersTest {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(20);

    private final LockClient client = LockClient.create(MemoryBackend.create());
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final ExecutorService waiting = Executors.newSingleThreadExecutor();
    private final List<Lease> kept = new ArrayList<>();

    @AfterEach
    void close() {
        client.close();
        other.shutdownNow();
        waiting.shutdownNow();
    }

    private <T> T elsewhere(Callable<T> call) throws Exception {
        return other.submit(call).get();
    }

    private boolean areReleased() throws InterruptedException {
        return client.awaitReleases(AT_ONCE);
    }

    @Test
    void theLocksOfOtherThreadsAreWaitedFor() throws Exception {
        FencedLock lock = client.lock("lock");
        assertThat(areReleased()).isTrue();
        lock.lock();
        assertThat(areReleased()).as("the thread's own lock").isTrue();
        lock.unlock();
        elsewhere(() -> kept.add(lock.acquire()));
        assertThat(areReleased()).isFalse();
        Future<?> release = other.submit(() -> kept.get(0).release());
        assertThat(client.awaitReleases(LONG)).isTrue();
        release.get();
    }

    @Test
    void handlesReadersWritersAndPermitsCount() throws Exception {
        FencedReadWriteLock shared = client.readWriteLock("lock");
        LeasedSemaphore semaphore = client.semaphore("lock", 2);
        for (Callable<Lease> acquisition : List.<Callable<Lease>>of(
                () -> client.lock("lock").acquireAsync().toCompletableFuture().get(),
                () -> shared.readLock().acquireAsync().toCompletableFuture().get(),
                () -> elsewhere(() -> shared.readLock().acquire()),
                () -> elsewhere(() -> shared.writeLock().acquire()),
                semaphore::acquire)) {
            Lease lease = acquisition.call();
            assertThat(areReleased()).isFalse();
            lease.release();
            assertThat(areReleased()).isTrue();
        }
    }

    @Test
    void aHoldThatCannotBeReleasedIsNotWaitedFor() throws Exception {
        elsewhere(() -> {
            client.lock("lock").lock();
            return true;
        });
        assertThat(areReleased()).isFalse();
        other.shutdown();
        assertThat(client.awaitReleases(LONG)).as("its thread has ended").isTrue();
    }

    @Test
    void aFixedLeaseThatHasEndedIsNotWaitedFor() throws Exception {
        elsewhere(() -> {
            client.lock("lock").lock(Duration.ofMillis(50));
            return true;
        });
        assertThat(client.awaitReleases(LONG)).isTrue();
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        elsewhere(() -> kept.add(client.lock("lock").acquire()));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> client.awaitReleases(LONG)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void theLogNamesSomeOfTheLocksOfHoldersThatAreCutOff() throws Exception {
        LogBook log = new LogBook();
        try {
            client.lock("own").lock();
            elsewhere(() -> {
                for (int i = 1; i <= 7; i++) {
                    kept.add(client.lock("stock:" + i).acquire());
                }
                return true;
            });
            Future<?> refused = waiting.submit(() -> client.lock("stock:1").lock());
            while (client.waiting() == 0) {
                Thread.onSpinWait();
            }
            client.close();
            assertThat(log.entries)
                    .singleElement()
                    .asString()
                    .matches("Locks were still held when the client was closed: "
                            + "('stock:\\d', ){4}'stock:\\d' and 2 more \\(holders: 7\\)\\. Other clients can take them"
                            + " now\\. The holders get a LeaseLostException \\(CLOSED\\), and waiting callers \\(1\\) a"
                            + " ClientClosedException");
            assertThatThrownBy(refused::get).isInstanceOf(ExecutionException.class);
            assertThatThrownBy(kept.get(0)::release).isInstanceOf(LeaseLostException.class);
        } finally {
            log.close();
        }
    }

    @Test
    void theLogIsSilentIfNoOtherHolderIsCutOff() {
        LogBook log = new LogBook();
        try {
            client.lock("own").lock();
            client.close();
            assertThat(log.entries).isEmpty();
        } finally {
            log.close();
        }
    }
}
