package io.boltwork.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** For how long the machine let nobody run: a thread that sleeps for a millisecond at a time looks how late it wakes. */
final class Standstill implements AutoCloseable {
    private static final long NAP = 1_000_000; // ns

    private final AtomicLong longest = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "standstill");
    private volatile boolean closed;

    Standstill() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        for (long before = System.nanoTime(); !closed; ) {
            LockSupport.parkNanos(NAP);
            long now = System.nanoTime();
            longest.accumulateAndGet(now - before - NAP, Math::max);
            before = now;
        }
    }

    /** The longest time so far. */
    Duration longest() {
        return Duration.ofNanos(longest.get());
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
