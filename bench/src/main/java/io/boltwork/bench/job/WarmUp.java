// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.measure.Machine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes many pairs in little time with threads that have locks of their own, so that the measured code runs as in a
 * service that has run for a while. A single thread, or a lock that is passed on every few milliseconds, would need
 * minutes until the compiler has seen enough.
 */
public final class WarmUp {
    /**
     * The factor by which the rehearsal of a lock that passes between JVMs is longer than the warm-up of other jobs.
     * With a factor of two, the compiler used half of a processor during the measurement.
     */
    public static final int REHEARSAL = 6;

    private static final int THREADS = 16;
    private static final int REHEARSING = 4;

    private WarmUp() {}

    /** Runs threads with locks of their own. Blocks for this time. */
    static void pairs(JobContext site, Duration time) throws InterruptedException {
        List<BenchLock> locks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            locks.add(site.lock(i, "warm-up:" + site.who(i)));
        }
        repeat(locks, time);
    }

    /**
     * Runs a few threads of each JVM with one lock, which goes back and forth between the JVMs. Blocks for this time.
     */
    static void handoffs(JobContext site, String lock, Duration time) throws InterruptedException {
        List<BenchLock> locks = new ArrayList<>();
        for (int i = 0; i < REHEARSING; i++) {
            locks.add(site.lock(i, lock));
        }
        repeat(locks, time);
    }

    /** Rehearses the measured work for a time. */
    @FunctionalInterface
    interface Rehearsal {
        void run() throws InterruptedException;
    }

    /**
     * Rehearses again and again until the compilers work for less than {@code quiet} seconds meanwhile, but not after
     * {@code end}, a value of {@link System#nanoTime}. Otherwise their work would count as that of the lock. The more
     * JVMs there are, the longer the compilers need.
     */
    static void untilCompiled(Rehearsal rehearsal, double quiet, long end) throws InterruptedException {
        double work = Double.POSITIVE_INFINITY;
        while (work >= quiet && System.nanoTime() - end < 0) {
            Map<Path, Double> before = Machine.compilers();
            rehearsal.run();
            work = Machine.growth(before, Machine.compilers());
        }
    }

    private static void repeat(List<BenchLock> locks, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (BenchLock lock : locks) {
            Thread thread = new Thread(() -> repeat(lock, end), "warm-up-" + threads.size());
            thread.setUncaughtExceptionHandler((ended, why) -> failure.compareAndSet(null, why));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A thread failed while warming up", failed);
        }
    }

    private static void repeat(BenchLock lock, long end) {
        while (System.nanoTime() < end) {
            lock.lock();
            lock.unlock();
        }
    }
}
