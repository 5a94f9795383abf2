package io.boltwork.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * For how long the machine let others run, or nobody: a thread that sleeps for a millisecond at a time looks how late it wakes.
 * That a machine wakes sleepers a little late is its nature and not counted.
 */
final class Standstill implements AutoCloseable {
    private static final long NAP = 1_000_000; // ns
    private static final long IN_TIME = 2 * NAP;

    private long looked = System.nanoTime();
    private long total; // ns
    private final Thread thread = new Thread(this::watch, "standstill");
    private volatile boolean closed;

    Standstill() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(NAP);
            look();
        }
    }

    private synchronized void look() {
        long now = System.nanoTime();
        if (now - looked > IN_TIME) {
            total += now - looked - NAP;
        }
        looked = now;
    }

    /** All such times together; who asks looks as well, since the thread may not be awake yet. */
    synchronized Duration total() {
        look();
        return Duration.ofNanos(total);
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
