package io.boltwork.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * For how long the machine let others run, or nobody: a thread that sleeps for a millisecond at a time looks how late it wakes.
 * That a machine wakes sleepers a little late is its nature and not counted.
 */
final class Standstill implements AutoCloseable {
    private static final long NAP = 1_000_000; // ns
    private static final long IN_TIME = 2 * NAP;

    private final AtomicLong total = new AtomicLong();
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
            if (now - before > IN_TIME) {
                total.addAndGet(now - before - NAP);
            }
            before = now;
        }
    }

    /** All such times together. */
    Duration total() {
        return Duration.ofNanos(total.get());
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
