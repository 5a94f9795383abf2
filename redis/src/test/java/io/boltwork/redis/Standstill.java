package io.boltwork.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long this process was kept from running: a thread that sleeps a millisecond at a time looks how late it wakes. A figure that
 * was taken meanwhile may be too large by so much.
 */
final class Standstill implements AutoCloseable {
    private static final long NAP = 1_000_000;

    private final AtomicLong longest = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "standstill");
    private volatile boolean over;

    Standstill() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        for (long before = System.nanoTime(); !over; ) {
            LockSupport.parkNanos(NAP);
            long now = System.nanoTime();
            longest.accumulateAndGet(now - before - NAP, Math::max);
            before = now;
        }
    }

    /** The longest so far. */
    Duration longest() {
        return Duration.ofNanos(longest.get());
    }

    @Override
    public void close() {
        over = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
