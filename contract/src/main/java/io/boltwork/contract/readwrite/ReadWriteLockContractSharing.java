// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Holding a read-write lock together, and the order in which requests are served. */
abstract class ReadWriteLockContractSharing extends ReadWriteContractPart {

    /** Readers share a hold for as long as possible, so that a delay of the test changes nothing. */
    private static final ClientOptions SHARING =
            ClientOptions.defaults().withSlice(Duration.ofSeconds(1)).withShutdownTime(Duration.ofSeconds(2));

    ReadWriteLockContractSharing(LockSite site) {
        super(site);
    }

    // ---- together

    @Test
    void readersOfSeveralClientsHoldTogether() {
        Holder here = hold(both().readLock());
        Holder there = hold(both().readLock());
        assertThat(atServer().holders()).hasSize(2);
        here.release();
        there.release();
        awaitHolders(0);
    }

    @Test
    void readersOfOneClientHoldTogether() {
        FencedLock read = both().readLock();
        Holder one = hold(read);
        Holder another = hold(read);
        assertThat(another.token()).isGreaterThan(one.token());
        one.release();
        assertThat(another.isHolding()).isTrue();
        assertThat(atServer().holders()).isNotEmpty();
        another.release();
        awaitHolders(0);
    }

    @Test
    void aWriterHoldsAlone() {
        Holder writer = hold(both().writeLock());
        FencedReadWriteLock other = both();
        assertThat(other.writeLock().tryLock()).isFalse();
        assertThat(other.readLock().tryLock()).isFalse();
        writer.release();
        assertThat(other.readLock().tryLock()).isTrue();
        other.readLock().unlock();
    }

    @Test
    void aReaderKeepsWritersOut() throws InterruptedException {
        Holder reader = hold(both().readLock());
        FencedReadWriteLock other = both();
        assertThat(other.writeLock().tryLock()).isFalse();
        assertThat(other.writeLock().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(other.readLock().tryLock(50, TimeUnit.MILLISECONDS)).isTrue();
        other.readLock().unlock();
        reader.release();
        assertThat(other.writeLock().tryLock()).isTrue();
        other.writeLock().unlock();
    }

    @Test
    void writersOfOneClientHoldOneAfterTheOther() {
        FencedLock write = both().writeLock();
        Counter counter = new Counter();
        List<Task<?>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(run(() -> {
                for (int round = 0; round < 50; round++) {
                    write.lock();
                    try {
                        counter.increment();
                    } finally {
                        write.unlock();
                    }
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(counter.value()).isEqualTo(400);
    }

    @Test
    void manyThreadsNeverWriteTogetherWithOthers() {
        FencedReadWriteLock here = both();
        FencedReadWriteLock there = both();
        AtomicInteger inside = new AtomicInteger(); // each reader counts 1, and a writer 1,000
        AtomicInteger mostReaders = new AtomicInteger();
        Set<Long> tokens = ConcurrentHashMap.newKeySet();
        List<Task<?>> threads = new ArrayList<>();
        int rounds = 60;
        for (int i = 0; i < 12; i++) {
            FencedReadWriteLock lock = i % 2 == 0 ? here : there;
            int weight = i % 3 == 0 ? 1_000 : 1;
            FencedLock side = weight == 1 ? lock.readLock() : lock.writeLock();
            threads.add(run(() -> {
                for (int round = 0; round < rounds; round++) {
                    try (Lease lease = side.acquire()) {
                        int all = inside.addAndGet(weight);
                        assertThat(all)
                                .satisfiesAnyOf(
                                        sum -> assertThat(sum).isLessThan(1_000),
                                        sum -> assertThat(sum).isEqualTo(1_000));
                        if (weight == 1) {
                            mostReaders.accumulateAndGet(all, Math::max);
                        }
                        tokens.add(lease.fencingToken());
                        Thread.yield();
                        inside.addAndGet(-weight);
                    }
                }
            }));
        }
        threads.forEach(Task::get);
        assertThat(mostReaders.get()).isGreaterThan(1);
        assertThat(tokens).hasSize(12 * rounds);
    }

    @Test
    void locksOfOneNameAndOtherKindsHaveNothingToDoWithIt() {
        heldElsewhere();
        LockClient client = party().client();
        Lease permit = client.semaphore(name, 1).acquire();
        assertThat(client.readWriteLock(name).writeLock().tryLock()).isTrue();
        client.readWriteLock(name).writeLock().unlock();
        permit.release();
    }

    // ---- order

    @Test
    void readersBehindEachOtherAreServedTogether() {
        Holder writer = hold(both().writeLock());
        List<Holder> readers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            readers.add(holdInTime(both().readLock()));
            awaitWaiting(i);
        }
        writer.release();
        readers.forEach(Holder::token);
        assertThat(atServer().holders()).hasSize(3);
        readers.forEach(Holder::release);
    }

    @Test
    void noReaderElsewhereOvertakesAWriter() {
        Holder reader = hold(both().readLock());
        Holder writer = holdInTime(both().writeLock());
        awaitWaiting(1);
        FencedReadWriteLock other = both();
        assertThat(other.readLock().tryLock()).isFalse();
        Holder late = holdInTime(other.readLock());
        awaitWaiting(2);
        reader.release();
        assertThat(writer.token()).isGreaterThan(reader.token());
        assertThat(late.isHolding()).isFalse();
        writer.release();
        assertThat(late.token()).isGreaterThan(writer.token());
        late.release();
    }

    @Test
    void aWriterIsServedAlthoughReadersOfOtherClientsKeepComing() {
        List<FencedLock> reads = List.of(both().readLock(), both().readLock());
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<Task<?>> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            FencedLock read = reads.get(i % 2);
            readers.add(run(() -> {
                while (!end.isDone()) {
                    read.lock();
                    try {
                        TimeUnit.MILLISECONDS.sleep(2);
                    } finally {
                        read.unlock();
                    }
                }
            }));
        }
        FencedLock write = both().writeLock();
        for (int i = 0; i < 10; i++) {
            long start = System.nanoTime();
            write.lock();
            write.unlock();
            assertThat(since(start)).isLessThan(PROMPT.plus(TOLERANCE));
        }
        end.complete(null);
        readers.forEach(Task::get);
    }

    @Test
    void readersAreServedAlthoughWritersKeepComing() {
        FencedReadWriteLock here = both();
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<Task<?>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FencedLock write = i % 2 == 0 ? here.writeLock() : both().writeLock();
            writers.add(run(() -> {
                while (!end.isDone()) {
                    write.lock();
                    write.unlock();
                }
            }));
        }
        for (FencedLock read : List.of(here.readLock(), both().readLock())) {
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                read.lock();
                read.unlock();
                assertThat(since(start)).isLessThan(PROMPT.plus(TOLERANCE));
            }
        }
        end.complete(null);
        writers.forEach(Task::get);
    }

    @Test
    void fifoReadersHaveARequestEach() {
        FencedLock read = both(FIFO).readLock();
        Holder one = hold(read);
        Holder another = hold(read);
        assertThat(atServer().holders()).hasSize(2);
        Holder writer = holdInTime(both(FIFO).writeLock());
        awaitWaiting(1);
        Holder late = holdInTime(read);
        awaitWaiting(2);
        one.release();
        another.release();
        writer.token();
        assertThat(late.isHolding()).isFalse();
        writer.release();
        late.token();
        late.release();
    }

    @Test
    void manyReadersOfOneClientThatWaitAreServedTogether() {
        Holder writer = hold(both().writeLock());
        FencedLock read = party(SHARING).client().readWriteLock(name).readLock();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            waiting.add(read.acquireAsync().toCompletableFuture());
        }
        awaitWaiting(1);
        writer.release();
        List<Lease> leases = waiting.stream().map(ContractPart::get).toList();
        assertThat(leases.stream().map(Lease::fencingToken).distinct()).hasSize(1_500);
        // a hold has 1,000 tokens at most, and fewer if others were granted within the same millisecond
        assertThat(atServer().holders()).hasSizeBetween(2, 4);
        leases.forEach(Lease::release);
    }

    // ---- requests

    @Test
    void aPairOfEachSideTakesTwoRequestsAndASecondReaderNone() {
        Party party = party(SHARING);
        FencedReadWriteLock lock = party.client().readWriteLock(name);
        for (FencedLock side : List.of(lock.readLock(), lock.writeLock())) {
            long before = party.backend().requests();
            side.lock();
            side.unlock();
            Await.until("two requests", () -> party.backend().requests() == before + 2);
        }
        lock.readLock().lock();
        long before = party.backend().requests();
        Holder second = hold(lock.readLock());
        second.release();
        assertThat(party.backend().requests()).isEqualTo(before);
        lock.readLock().unlock();
    }

    // ---- asynchronous, timed

    @Test
    void bothSidesHaveAsynchronousForms() {
        FencedReadWriteLock here = both();
        FencedReadWriteLock there = both();
        Lease one = get(here.readLock().acquireAsync());
        Lease another = get(there.readLock().acquireAsync());
        assertThat(get(there.writeLock().tryAcquireAsync(Duration.ofMillis(50))))
                .isEmpty();
        CompletableFuture<Lease> writing = here.writeLock().acquireAsync().toCompletableFuture();
        awaitWaiting(1);
        one.release();
        another.release();
        Lease written = get(writing);
        assertThat(written.fencingToken()).isGreaterThan(another.fencingToken());
        assertThat(get(there.readLock().tryAcquireAsync(Duration.ofMillis(50)))).isEmpty();
        written.release();
    }

    @Test
    void aCancelledRequestIsWithdrawn() {
        Holder writer = hold(both().writeLock());
        FencedReadWriteLock other = both();
        CompletableFuture<Lease> reading = other.readLock().acquireAsync().toCompletableFuture();
        awaitWaiting(1);
        reading.cancel(true);
        awaitWaiting(0);
        writer.release();
        assertThat(both().writeLock().tryLock()).isTrue();
    }

    @Test
    void anInterruptedReaderIsWithdrawn() {
        Holder writer = hold(both().writeLock());
        FencedLock read = both().readLock();
        Task<?> waiting = run(() -> {
            try {
                read.lockInterruptibly();
            } catch (InterruptedException expected) {
                return;
            }
            throw new AssertionError("not interrupted");
        });
        awaitWaiting(1);
        waiting.interrupt();
        waiting.get();
        awaitWaiting(0);
        writer.release();
    }

    @Test
    void aReaderThatWaitsInVainIsRefused() {
        Holder writer = hold(both().writeLock());
        FencedLock read = both().readLock();
        Assertions.assertThatThrownBy(() -> read.run(Duration.ofMillis(50), () -> {}))
                .isInstanceOf(LockTimeoutException.class);
        writer.release();
    }
}
