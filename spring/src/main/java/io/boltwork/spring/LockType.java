package io.boltwork.spring;

/** The order in which waiting callers get a lock. Both types are reentrant. */
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
    FAIR
}
