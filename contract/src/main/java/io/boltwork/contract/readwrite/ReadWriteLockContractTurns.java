// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The answers of both sides of a read-write lock while readers and writers of one client follow each other. The
 * scenarios with threads are those of the tests that the JDK's own lock passes.
 */
abstract class ReadWriteLockContractTurns extends ReadWriteContractPart {

    private static final int TIMES =
            Boolean.getBoolean("boltwork.proof") ? 1_000 : Boolean.getBoolean("boltwork.whole") ? 100 : 25;

    /** The time after which no turn begins: on some stores, a turn takes long. */
    private static final Duration LONG = Duration.ofSeconds(30);

    /** A slice that does not end during a test. */
    private static final ClientOptions LONG_TURNS =
            ClientOptions.defaults().withSlice(Duration.ofSeconds(1)).withShutdownTime(Duration.ofSeconds(2));

    ReadWriteLockContractTurns(LockSite site) {
        super(site);
    }

    private static void repeat(Runnable turn) {
        long begun = System.nanoTime();
        for (int i = 0; i < TIMES && System.nanoTime() - begun < LONG.toNanos(); i++) {
            turn.run();
        }
    }

    private static void assertFree(FencedReadWriteLock lock) {
        assertThat(lock.readLock().isLocked()).as("readers").isFalse();
        assertThat(lock.writeLock().isLocked()).as("a writer").isFalse();
    }

    private static void assertRead(FencedReadWriteLock lock) {
        assertThat(lock.readLock().isLocked()).as("readers").isTrue();
        assertThat(lock.writeLock().isLocked()).as("no writer").isFalse();
    }

    private static void assertWritten(FencedReadWriteLock lock) {
        assertThat(lock.readLock().isLocked()).as("no readers").isFalse();
        assertThat(lock.writeLock().isLocked()).as("a writer").isTrue();
    }

    private Task<?> reader(FencedReadWriteLock lock) {
        return run(() -> {
            lock.readLock().lock();
            assertRead(lock);
            lock.readLock().unlock();
        });
    }

    private Task<?> writer(FencedReadWriteLock lock) {
        return run(() -> {
            lock.writeLock().lock();
            assertWritten(lock);
            lock.writeLock().unlock();
        });
    }

    // ---- threads

    @Test
    void readersFollowAWriter() {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        repeat(() -> {
            lock.writeLock().lock();
            Task<?> one = reader(lock);
            Task<?> another = reader(lock);
            one.awaitParked();
            another.awaitParked();
            assertWritten(lock);
            lock.writeLock().unlock();
            assertThat(lock.writeLock().isLocked())
                    .as("readers have it, or had it")
                    .isFalse();
            one.get();
            another.get();
            assertFree(lock);
            assertFree(other);
        });
    }

    @Test
    void aWriterFollowsAReader() {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        repeat(() -> {
            lock.readLock().lock();
            Task<?> writer = writer(lock);
            writer.awaitParked();
            assertRead(lock);
            assertRead(other);
            lock.readLock().unlock();
            assertThat(lock.readLock().isLocked())
                    .as("the writer has it, or had it")
                    .isFalse();
            writer.get();
            assertFree(lock);
            assertFree(other);
        });
    }

    @Test
    void aWriterFollowsSeveralReaders() {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        repeat(() -> {
            lock.readLock().lock();
            lock.readLock().lock();
            reader(lock).get();
            Task<?> writer = writer(lock);
            writer.awaitParked();
            assertRead(lock);
            lock.readLock().unlock();
            assertRead(lock);
            assertRead(other);
            lock.readLock().unlock();
            assertThat(lock.readLock().isLocked())
                    .as("the writer has it, or had it")
                    .isFalse();
            writer.get();
            assertFree(lock);
            assertFree(other);
        });
    }

    @Test
    void aDowngradedWriterIsAReaderAtOnce() {
        FencedReadWriteLock lock = both();
        repeat(() -> {
            lock.writeLock().lock();
            lock.readLock().lock();
            assertThat(lock.readLock().isLocked()).isTrue();
            assertThat(lock.writeLock().isLocked()).isTrue();
            lock.writeLock().unlock();
            assertRead(lock);
            lock.readLock().unlock();
            assertFree(lock);
        });
    }

    // ---- leases without threads

    @Test
    void sidesAreToldApartDuringTurns() {
        FencedReadWriteLock lock = party(LONG_TURNS).client().readWriteLock(name);
        Lease first = get(lock.writeLock().acquireAsync());
        CompletableFuture<Lease> reader = lock.readLock().acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> second = lock.writeLock().acquireAsync().toCompletableFuture();
        assertWritten(lock);
        first.release();
        get(reader);
        assertRead(lock);
        reader.join().release();
        get(second);
        assertWritten(lock);
        second.join().release();
        assertFree(lock);
    }

    @Test
    void othersSeeTheReadersOfATurnWhenTheSliceHasEnded() {
        FencedReadWriteLock lock = both();
        FencedReadWriteLock other = both();
        Lease writer = get(lock.writeLock().acquireAsync());
        CompletableFuture<Lease> reader = lock.readLock().acquireAsync().toCompletableFuture();
        writer.release();
        get(reader);
        assertRead(lock);
        Await.until("the slice has ended", () -> other.readLock().isLocked());
        assertRead(other);
        assertRead(lock);
        reader.join().release();
        assertFree(other);
    }
}
