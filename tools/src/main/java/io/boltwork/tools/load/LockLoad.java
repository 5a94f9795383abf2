// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Threads that take and release locks as fast as they can, until a time is over or the store becomes slow: when the
 * median of two periods in a row is more than twice the median of the first ones. Use once.
 */
final class LockLoad {
    /** The first period warms up the JVM and the store. */
    private static final int WARM_UP = 1;

    private static final int BASE = 3;
    private static final int SLOW_IN_A_ROW = 2;
    private static final double SLOWER = 2;
    /** Fewer pairs than this in a period say nothing. */
    private static final int ENOUGH = 10;

    private final LockClient locks;
    private final int threads;
    private final int names;
    private final Duration time;
    private final Duration period;
    private final LatencyHistogram all = new LatencyHistogram();
    private final LongAdder failures = new LongAdder();
    private volatile LatencyHistogram latest = new LatencyHistogram();
    private volatile boolean over;
    private volatile String failure = "";

    LockLoad(LockClient locks, int threads, int names, Duration time, Duration period) {
        this.locks = locks;
        this.threads = threads;
        this.names = names;
        this.time = time;
        this.period = period;
    }

    /** Puts the load on the store, and tells of its progress after each period. */
    LoadResult run(Consumer<String> progress) throws InterruptedException {
        List<Thread> running = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::work, "boltwork-bench-" + i);
            thread.setDaemon(true);
            thread.start();
            running.add(thread);
        }
        String stopped = "";
        try {
            stopped = watch(start, progress);
        } finally {
            over = true;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        for (Thread thread : running) {
            thread.join();
        }
        return new LoadResult(took, all, failures.sum(), stopped);
    }

    private String watch(long start, Consumer<String> progress) throws InterruptedException {
        SlowdownWatch slowdown = new SlowdownWatch(WARM_UP, BASE, SLOW_IN_A_ROW, SLOWER);
        long end = start + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, period.toNanos()));
            LatencyHistogram measured = latest;
            latest = new LatencyHistogram();
            if (!failure.isEmpty()) {
                return failure;
            }
            Duration median = measured.percentile(0.5);
            progress.accept((System.nanoTime() - start) / 1_000_000_000 + " s of " + time.toSeconds() + " s: "
                    + measured.total() + " pairs, median " + LoadResult.text(median));
            if (measured.total() >= ENOUGH && slowdown.isTooSlow(median)) {
                return "the median has risen from " + LoadResult.text(slowdown.base()) + " to "
                        + LoadResult.text(median) + ", more than twice as long as at the beginning";
            }
        }
        return "";
    }

    private void work() {
        while (!over) {
            FencedLock lock = locks.lock("bench:" + ThreadLocalRandom.current().nextInt(names));
            long begun = System.nanoTime();
            try {
                lock.acquire().close();
                long took = System.nanoTime() - begun;
                all.add(took);
                latest.add(took);
            } catch (LockException failed) {
                failures.increment();
                failure = "an acquisition failed: " + failed.getMessage();
                return;
            }
        }
    }
}
