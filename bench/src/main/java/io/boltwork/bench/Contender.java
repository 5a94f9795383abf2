package io.boltwork.bench;

/** A connected client of a lock library, configured as its documentation recommends. Used by many threads. */
interface Contender extends AutoCloseable {
    /** Returns the lock with a name. May be called for each use, as in applications. */
    BenchLock lock(String name);

    @Override
    void close();
}
