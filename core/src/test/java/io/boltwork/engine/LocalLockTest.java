// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LocalLock;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The information that a client has about its own locks without asking the backend. */
class LocalLockTest {

    @Test
    void aLocalLockNamesItsThreadAndCountsItsWaiters() throws Exception {
        LockClient client = LockClient.create(MemoryBackend.create());
        try (client) {
            assertThat(client.isConnected()).isTrue();
            assertThat(local(client).holders()).isEmpty();
            try (Lease lease = client.lock("a").acquire()) {
                CompletableFuture<Lease> first = client.lock("a").acquireAsync().toCompletableFuture();
                CompletableFuture<Lease> second =
                        client.lock("a").acquireAsync().toCompletableFuture();
                LocalLock local = local(client);
                while (local.waiting() < 2) { // busy-waits for a moment
                    Thread.onSpinWait();
                    local = local(client);
                }
                assertThat(local.kind()).isEqualTo(LockKind.LOCK);
                assertThat(local.name()).isEqualTo("a");
                assertThat(local.waiting()).isEqualTo(2);
                String request =
                        client.inspector().describe("a").holders().get(0).request();
                assertThat(local.holders())
                        .containsExactly(new LocalLock.Holder(
                                request, Thread.currentThread().getName(), lease.fencingToken()));
                assertThat(client.inspector().local("b").waiting()).isZero();
                assertThat(client.inspector().local(LockKind.SEMAPHORE, "a").holders())
                        .isEmpty();
                assertThat(client.held()).isEqualTo(1);
                assertThat(client.renewalLag()).isLessThan(Duration.ofSeconds(5));
                first.cancel(true);
                second.cancel(true);
            }
        }
        assertThat(client.isConnected()).isFalse();
        assertThat(client.held()).isZero();
    }

    @Test
    void holdersOfPermitsAndWaitingCallersAreCounted() throws Exception {
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            LeasedSemaphore semaphore = client.semaphore("s", 3);
            Lease two = semaphore.acquire(2);
            Lease one = semaphore.acquire();
            List<CompletableFuture<Lease>> wishes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                wishes.add(semaphore.acquireAsync().toCompletableFuture());
            }
            LockOptions fifo = LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO);
            wishes.add(semaphore.withOptions(fifo).acquireAsync().toCompletableFuture());
            LocalLock seen = client.inspector().local(LockKind.SEMAPHORE, "s");
            while (seen.waiting() != 6
                    || seen.holders().size() != 2
                    || client.waiting() != 6) { // the machine may be busy
                Thread.onSpinWait();
                seen = client.inspector().local(LockKind.SEMAPHORE, "s");
            }
            assertThat(seen.holders())
                    .extracting(LocalLock.Holder::fencingToken)
                    .containsExactlyInAnyOrder(two.fencingToken(), one.fencingToken());
            assertThat(seen.holders())
                    .extracting(LocalLock.Holder::request)
                    .containsExactlyInAnyOrderElementsOf(
                            client.inspector().describe(LockKind.SEMAPHORE, "s").holders().stream()
                                    .map(LockInfo.Holder::request)
                                    .toList());
            assertThat(seen.holders())
                    .extracting(LocalLock.Holder::owner)
                    .containsOnly(Thread.currentThread().getName());
            assertThat(client.health().waiting()).isEqualTo(6);
            wishes.forEach(wish -> wish.cancel(true));
        }
    }

    @Test
    void readersThatShareAHoldAreSeveralHolders() {
        try (LockClient client = LockClient.create(
                MemoryBackend.create(), ClientOptions.defaults().withSlice(Duration.ofSeconds(1)))) {
            FencedReadWriteLock lock = client.readWriteLock("r");
            Lease first = lock.readLock().acquireAsync().toCompletableFuture().join();
            Lease second = lock.readLock().acquireAsync().toCompletableFuture().join();
            LocalLock seen = client.inspector().local(LockKind.READ_WRITE, "r");
            while (seen.holders().size() != 2) { // the machine may be busy
                Thread.onSpinWait();
                seen = client.inspector().local(LockKind.READ_WRITE, "r");
            }
            assertThat(seen.holders())
                    .extracting(LocalLock.Holder::fencingToken)
                    .containsExactlyInAnyOrder(first.fencingToken(), second.fencingToken());
            assertThat(seen.holders())
                    .extracting(LocalLock.Holder::request)
                    .containsOnly(client.inspector()
                            .describe(LockKind.READ_WRITE, "r")
                            .holders()
                            .get(0)
                            .request());
            first.release();
            second.release();
        }
    }

    @Test
    void aWriterThatReadsIsOneHolder() {
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            FencedReadWriteLock lock = client.readWriteLock("r");
            lock.writeLock().lock();
            lock.readLock().lock();
            LocalLock seen = client.inspector().local(LockKind.READ_WRITE, "r");
            while (seen.holders().isEmpty()) { // the machine may be busy
                Thread.onSpinWait();
                seen = client.inspector().local(LockKind.READ_WRITE, "r");
            }
            assertThat(seen.holders()).hasSize(1);
            lock.readLock().unlock();
            lock.writeLock().unlock();
        }
    }

    private static LocalLock local(LockClient client) {
        return client.inspector().local("a");
    }
}
