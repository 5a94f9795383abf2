// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The kind of lock that a method acquires, and the order in which waiting callers get it. All types are reentrant.
 *
 * @since 0.1.0
 */
public enum LockType {
    /**
     * Uses the class's annotation if present, then the property {@code boltwork.lock.type}, then {@link #REENTRANT}.
     */
    DEFAULT,
    /**
     * Clients take turns, and each client serves its threads in order. The throughput is many times that of {@link
     * #FAIR}.
     */
    REENTRANT,
    /** Serves requests of all clients strictly in the order in which they arrived at the backend. */
    FAIR,
    /**
     * The read lock of a {@linkplain io.boltwork.FencedReadWriteLock read-write lock}: any number of readers at a time,
     * and no writer. A reader does not overtake a writer that waits. A lock that is not a read-write lock may have the
     * same name: the two have nothing to do with each other.
     */
    READ,
    /**
     * The write lock of a {@linkplain io.boltwork.FencedReadWriteLock read-write lock}: one writer at a time, and no
     * reader. A writer may call methods with {@link #READ}. A thread that holds only the read lock and calls a method
     * with {@code WRITE} gets an {@link IllegalMonitorStateException}, because it would wait for itself. This includes
     * a read lock that the caller's transaction keeps. A caller that holds the read lock and waits for the result of an
     * asynchronous method with {@code WRITE} waits without end, unless the wait for the lock is limited.
     */
    WRITE
}
