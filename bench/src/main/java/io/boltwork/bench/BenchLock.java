package io.boltwork.bench;

import java.time.Duration;

/** A lock under measurement, with the methods that all contenders have in common. Used by many threads. */
interface BenchLock {
    /** Acquires the lock and waits as long as necessary. */
    void lock();

    /** Acquires the lock within a time. Returns {@code false} if that time was too short. */
    boolean tryLock(Duration wait) throws InterruptedException;

    void unlock();
}
