package io.boltwork.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Many pairs in little time, by threads with locks of their own, so that what is measured afterwards runs as it does in a
 * service that has been up for a while: a single thread, or a lock that is passed on every few milliseconds, would need minutes
 * until the compiler has seen enough of it.
 */
final class WarmUp {
    private static final int THREADS = 16;

    private WarmUp() {}

    /** Blocks for that long. */
    static void pairs(Site site, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            BenchLock lock = site.lock(i, "warm-up:" + site.who(i));
            Thread thread = new Thread(() -> repeat(lock, end), "warm-up-" + i);
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
