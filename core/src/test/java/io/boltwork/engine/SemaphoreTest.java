// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockTimeoutException;
import io.boltwork.PermitsExceededException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Semaphores of one client and of several, on the memory backend. */
class SemaphoreTest {

    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server));
    private final LockClient other = LockClient.create(MemoryBackend.on(server));

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    @Test
    void permitsAreSharedByClients() throws Exception {
        LeasedSemaphore here = client.semaphore("s", 3);
        LeasedSemaphore there = other.semaphore("s", 3);
        Lease one = here.acquire(2);
        assertThat(there.tryAcquire(2)).isEmpty();
        Lease two = there.tryAcquire().orElseThrow();
        assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
        assertThat(here.availablePermits()).isZero();
        assertThat(there.tryAcquire(Duration.ofMillis(50))).isEmpty();
        one.release();
        assertThat(here.availablePermits()).isEqualTo(2);
        assertThat(there.tryAcquire(2, Duration.ofSeconds(5))).isPresent();
    }

    @Test
    void aReleaseServesAWaiterElsewhere() throws Exception {
        Lease held = client.semaphore("s", 1).acquire();
        var waiting = other.semaphore("s", 1).acquireAsync().toCompletableFuture();
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(waiting).isNotDone();
        held.release();
        waiting.get(5, TimeUnit.SECONDS).release();
    }

    @Test
    void moreThanThereAreAreRefusedAtOnce() {
        assertThatThrownBy(() -> client.semaphore("s", 3).acquire(4))
                .isInstanceOfSatisfying(PermitsExceededException.class, e -> {
                    assertThat(e.permits()).isEqualTo(4);
                    assertThat(e.capacity()).isEqualTo(3);
                });
    }

    @Test
    void drainTakesAllThatAreFree() {
        LeasedSemaphore semaphore = client.semaphore("s", 5);
        semaphore.acquire(2);
        Optional<Lease> rest = semaphore.drain();
        assertThat(rest).isPresent();
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(semaphore.drain()).isEmpty();
        rest.get().release();
        assertThat(semaphore.availablePermits()).isEqualTo(3);
    }

    @Test
    void asynchronousCallKeepsItsPermitUntilItsEnd() throws Exception {
        LeasedSemaphore semaphore = client.semaphore("s", 1);
        Thread caller = Thread.currentThread();
        CompletableFuture<Boolean> work = new CompletableFuture<>();
        CompletableFuture<Lease> begun = new CompletableFuture<>();
        CompletableFuture<Boolean> call = semaphore
                .callAsync(Duration.ofSeconds(5), lease -> {
                    begun.complete(lease);
                    return work.thenApply(done -> Thread.currentThread() == caller || !lease.isValid());
                })
                .toCompletableFuture();
        begun.get(5, TimeUnit.SECONDS);
        assertThat(semaphore.tryAcquire()).isEmpty();
        work.completeAsync(() -> true);
        assertThat(call.get(5, TimeUnit.SECONDS)).isFalse();
        semaphore.tryAcquire().orElseThrow().release();
    }

    @Test
    void asynchronousCallIsRefusedOrWithdrawn() throws Exception {
        LeasedSemaphore semaphore = client.semaphore("s", 1);
        Lease held = other.semaphore("s", 1).acquire();
        AtomicInteger begun = new AtomicInteger();
        assertThat(semaphore.callAsync(Duration.ZERO, lease -> beginning(begun)))
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(LockTimeoutException.class);
        CompletableFuture<Integer> waiting = semaphore
                .callAsync(Duration.ofMinutes(1), lease -> beginning(begun))
                .toCompletableFuture();
        waiting.cancel(true);
        held.release();
        semaphore.tryAcquire(Duration.ofSeconds(5)).orElseThrow().release();
        assertThat(begun).hasValue(0);
    }

    private static CompletableFuture<Integer> beginning(AtomicInteger begun) {
        return CompletableFuture.completedFuture(begun.incrementAndGet());
    }

    @Test
    void resizingServesThoseThatWait() throws Exception {
        LeasedSemaphore semaphore = client.semaphore("s", 1);
        semaphore.acquire();
        var waiting = other.semaphore("s", 1).acquireAsync().toCompletableFuture();
        TimeUnit.MILLISECONDS.sleep(50);
        semaphore.resize(2);
        waiting.get(5, TimeUnit.SECONDS);
        semaphore.resize(1);
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void manyThreadsOfTwoClientsNeverHoldMoreThanThereAre() throws Exception {
        AtomicInteger held = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ConcurrentSkipListSet<Long> tokens = new ConcurrentSkipListSet<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 16; i++) {
            LeasedSemaphore semaphore = (i % 2 == 0 ? client : other).semaphore("s", 4);
            int permits = 1 + i % 3;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 300; n++) {
                    try (Lease lease = semaphore.acquire(permits)) {
                        int now = held.addAndGet(permits);
                        most.accumulateAndGet(now, Math::max);
                        assertThat(tokens.add(lease.fencingToken())).isTrue();
                        held.addAndGet(-permits);
                    }
                }
                done.incrementAndGet();
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        assertThat(done.get()).isEqualTo(16);
        assertThat(most.get()).isBetween(2, 4);
        assertThat(client.semaphore("s", 4).availablePermits()).isEqualTo(4);
    }

    private QueryReply.Inspected look() {
        return server.execute(new Query.Inspect("s", LockKind.SEMAPHORE));
    }

    @Test
    void aClientWaitsForAsManyPartsAsItCouldHave() throws Exception {
        Lease held = other.semaphore("s", 3).acquire(3);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(client.semaphore("s", 3).acquireAsync().toCompletableFuture());
        }
        assertThat(look().queue()).hasSize(3);
        held.release();
        for (CompletableFuture<Lease> one : waiting.subList(0, 3)) {
            assertThat(one.get(20, TimeUnit.SECONDS).isValid()).isTrue();
        }
        assertThat(waiting.get(3)).isNotDone();
    }

    @Test
    void aCallerThatGivesUpTakesItsStandInAlong() {
        Lease held = other.semaphore("s", 3).acquire(3);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(client.semaphore("s", 3).acquireAsync().toCompletableFuture());
        }
        waiting.get(0).cancel(true);
        assertThat(look().queue()).hasSize(2);
        waiting.get(2).cancel(true);
        waiting.get(1).cancel(true);
        assertThat(look().queue()).isEmpty();
        held.release();
    }

    @Test
    void aGrantServesTheCallerThatHasWaitedLongest() throws Exception {
        Lease held = other.semaphore("s", 2).acquire(2);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(client.semaphore("s", 2).acquireAsync().toCompletableFuture());
        }
        waiting.get(0).cancel(true);
        held.release();
        waiting.get(1).get(20, TimeUnit.SECONDS).release();
        waiting.get(2).get(20, TimeUnit.SECONDS).release();
        waiting.get(3).get(20, TimeUnit.SECONDS).release();
        assertThat(look().holders()).isEmpty();
    }
}
