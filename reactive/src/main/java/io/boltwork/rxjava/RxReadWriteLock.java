// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.FencedReadWriteLock;

/**
 * A read-write lock for RxJava 3, see {@link RxLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RxReadWriteLock {

    private final FencedReadWriteLock lock;

    RxReadWriteLock(FencedReadWriteLock lock) {
        this.lock = lock;
    }

    /**
     * Returns the lock of the readers.
     *
     * @return the read lock
     */
    public RxLock readLock() {
        return RxLock.of(lock.readLock());
    }

    /**
     * Returns the lock of the writers.
     *
     * @return the write lock
     */
    public RxLock writeLock() {
        return RxLock.of(lock.writeLock());
    }

    @Override
    public String toString() {
        return "Rx" + lock;
    }
}
