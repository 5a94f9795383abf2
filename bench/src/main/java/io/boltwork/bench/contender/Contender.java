// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.util.List;

/** A connected client of a lock library, configured as its documentation recommends. Used by many threads. */
public interface Contender extends AutoCloseable {
    /** Returns the lock with a name. May be called for each use, as in applications. */
    BenchLock lock(String name);

    /** Returns the read lock of the read-write lock with a name. Throws if the library has none. */
    default BenchLock readLock(String name) {
        throw new UnsupportedOperationException("There are no read locks");
    }

    /** Returns the write lock of the read-write lock with a name. Throws if the library has none. */
    default BenchLock writeLock(String name) {
        throw new UnsupportedOperationException("There are no write locks");
    }

    /** Returns several locks that are acquired together. Throws if the library has no such lock. */
    default BenchLock together(List<String> names) {
        throw new UnsupportedOperationException("There are no multi-locks");
    }

    /** Returns the latch with a name. Throws if the library has none. */
    default BenchLatch latch(String name) {
        throw new UnsupportedOperationException("There are no latches");
    }

    /** Returns a permit of the semaphore with a name, for one thread. Throws if the library has none. */
    default BenchLock permit(String name, int permits) {
        throw new UnsupportedOperationException("There are no semaphores");
    }

    @Override
    void close();
}
