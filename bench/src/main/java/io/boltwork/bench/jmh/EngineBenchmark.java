// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.jmh;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Pairs of {@code lock()} and {@code unlock()} on a backend in memory. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

    /** A client and one lock, for all threads. */
    @State(Scope.Benchmark)
    public static class Shared {
        private final LockClient client = LockClient.create(MemoryBackend.create());
        private final FencedLock lock = client.lock("shared");
        private final LeasedSemaphore semaphore = client.semaphore("permits", 10);
        private final FencedReadWriteLock readWrite = client.readWriteLock("read-write");

        @TearDown
        public void close() {
            client.close();
        }
    }

    /** A lock that the thread holds. */
    @State(Scope.Thread)
    public static class Held {
        private final LockClient client = LockClient.create(MemoryBackend.create());
        private final FencedLock lock = client.lock("held");

        @Setup
        public void hold() {
            lock.lock();
        }

        @TearDown
        public void close() {
            client.close();
        }
    }

    /** Without contention: two commands to the backend. */
    @Benchmark
    @Threads(1)
    public void uncontendedPair(Shared shared) {
        shared.lock.lock();
        shared.lock.unlock();
    }

    /** The same with a handle: what the pairs of a permit, a reader and a writer are compared with. */
    @Benchmark
    @Threads(1)
    public void leasePair(Shared shared) {
        shared.lock.acquire().release();
    }

    /** One of ten permits, without contention: two commands to the backend. */
    @Benchmark
    @Threads(1)
    public void permitPair(Shared shared) {
        shared.semaphore.acquire().release();
    }

    /** A read lock without contention: two commands to the backend. */
    @Benchmark
    @Threads(1)
    public void readerPair(Shared shared) {
        shared.readWrite.readLock().acquire().release();
    }

    /** A write lock without contention: two commands to the backend. */
    @Benchmark
    @Threads(1)
    public void writerPair(Shared shared) {
        shared.readWrite.writeLock().acquire().release();
    }

    /** The thread already holds the lock: no command. */
    @Benchmark
    @Threads(1)
    public void nestedPair(Held held) {
        held.lock.lock();
        held.lock.unlock();
    }

    /**
     * Two threads of a client want the lock, which is mostly handed over without a command. The time is that of the
     * pair of each thread.
     */
    @Benchmark
    @Threads(2)
    public void handoverBetweenTwo(Shared shared) {
        shared.lock.lock();
        shared.lock.unlock();
    }
}
