package io.boltwork.spi;

/** Something that not every {@link LockBackend} has. */
public enum Capability {
    /** Read-write locks and semaphores. */
    SHARES,
    /** Latches. */
    LATCHES,
    /** Conditions of locks. */
    CONDITIONS
}
