package io.boltwork.bench;

/** A client of a lock library, connected, configured as its own documentation recommends. Used by many threads. */
interface Contender extends AutoCloseable {
    /** The lock of a name. May be called for each use, as in applications. */
    BenchLock lock(String name);

    @Override
    void close();
}
