package io.boltwork.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Many pairs in little time, by threads with locks of their own, so that what is measured afterwards runs as it does in a
 * service that has been up for a while: a single thread, or a lock that is passed on every few milliseconds, would need minutes
 * until the compiler has seen enough of it.
 */
final class WarmUp {
    /**
     * So many times as long as other jobs warm up is rehearsed how a lock passes from JVM to JVM; with two, the compiler used
     * half of a processor while was measured.
     */
    static final int REHEARSAL = 6;

    private static final int THREADS = 16;
    private static final int REHEARSING = 4;

    private WarmUp() {}

    /** Threads with locks of their own. Blocks for that long. */
    static void pairs(Site site, Duration time) throws InterruptedException {
        List<BenchLock> locks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            locks.add(site.lock(i, "warm-up:" + site.who(i)));
        }
        repeat(locks, time);
    }

    /** A few threads of each JVM with one lock, which goes to and fro between them. Blocks for that long. */
    static void handoffs(Site site, String lock, Duration time) throws InterruptedException {
        List<BenchLock> locks = new ArrayList<>();
        for (int i = 0; i < REHEARSING; i++) {
            locks.add(site.lock(i, lock));
        }
        repeat(locks, time);
    }

    /** What is to be measured, for a while. */
    @FunctionalInterface
    interface Rehearsal {
        void run() throws InterruptedException;
    }

    /**
     * Rehearses again and again until the compilers have ended, which is when they work for less than {@code quiet} seconds
     * meanwhile, but not after {@code end}, of {@link System#nanoTime}: what they take would count as the lock's, and they need
     * the longer the more JVMs there are.
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
