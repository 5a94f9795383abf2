// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.time.Duration;

/** A lock under measurement, with the methods that all contenders have in common. Used by many threads. */
public interface BenchLock {
    /** Acquires the lock and waits as long as necessary. */
    void lock();

    /** Acquires the lock if it becomes available within the given time. Returns {@code false} if it does not. */
    boolean tryLock(Duration wait) throws InterruptedException;

    void unlock();

    /** Returns whether the library considers the lock as held. Must be called while the lock should be held. */
    default boolean isHeld() {
        return true;
    }
}
