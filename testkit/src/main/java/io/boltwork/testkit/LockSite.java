package io.boltwork.testkit;

import io.boltwork.spi.LockBackend;

/**
 * One lock server that several clients share, and what can befall it: all that {@link LockContract} needs to know of a
 * backend. What a method says has happened when it returns.
 */
public interface LockSite {

    /**
     * Another backend on this server.
     *
     * @return a new backend, not opened, with a command timeout of half a second to a second
     */
    LockBackend newBackend();

    /** The server forgets all locks and goes on; connections stay. */
    void flush();

    /**
     * The server forgets a lock, its fence included.
     *
     * @param name the lock's name, of letters, digits, colons and hyphens
     */
    void deleteLock(String name);

    /** The server stops: connections stay open, new ones may be accepted, nothing is answered until {@link #thaw()}. */
    void freeze();

    /** A frozen server goes on with what it has been sent. Does nothing if it is not frozen. */
    void thaw();

    /** Every connection of every backend breaks. They may come back at once. */
    void disconnectAll();

    /** The server is killed, and another one takes its place and knows nothing. */
    void restartEmpty();

    /**
     * How many replicas the server has, which confirm each write within a second.
     *
     * @return their number, 0 unless overridden
     */
    default int replicas() {
        return 0;
    }

    /**
     * How many clients the server would deliver grants to.
     *
     * @return their number
     */
    int listeners();
}
