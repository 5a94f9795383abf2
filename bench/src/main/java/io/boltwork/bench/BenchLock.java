package io.boltwork.bench;

import java.time.Duration;

/** A lock under measurement: what all contenders have in common. Used by many threads. */
interface BenchLock {
    /** Waits as long as it takes. */
    void lock();

    /** Waits for a time at most; {@code false} if that was not long enough. */
    boolean tryLock(Duration wait) throws InterruptedException;

    void unlock();
}
