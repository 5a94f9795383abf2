// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long the machine ran other processes or none: a thread that sleeps for a millisecond at a time checks
 * how late it wakes. A small delay is normal for a machine and does not count.
 */
final class Standstill implements AutoCloseable {
    private static final long SLEEP = 1_000_000; // ns
    private static final long IN_TIME = 2 * SLEEP;

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
            LockSupport.parkNanos(SLEEP);
            look();
        }
    }

    private synchronized void look() {
        long now = System.nanoTime();
        if (now - looked > IN_TIME) {
            total += now - looked - SLEEP;
        }
        looked = now;
    }

    /** Returns the sum of all such times. The caller checks as well, because the thread may not be awake yet. */
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
