// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.FencedReadWriteLock;

/**
 * A read-write lock for Reactor, see {@link ReactorLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ReactorReadWriteLock {

    private final FencedReadWriteLock lock;

    ReactorReadWriteLock(FencedReadWriteLock lock) {
        this.lock = lock;
    }

    /**
     * Returns the lock of the readers.
     *
     * @return the read lock
     */
    public ReactorLock readLock() {
        return ReactorLock.of(lock.readLock());
    }

    /**
     * Returns the lock of the writers.
     *
     * @return the write lock
     */
    public ReactorLock writeLock() {
        return ReactorLock.of(lock.writeLock());
    }

    @Override
    public String toString() {
        return "Reactor" + lock;
    }
}
