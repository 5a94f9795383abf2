package io.boltwork.spring;

/** In which order those who wait get a lock. The same thread may take either of them again. */
public enum LockType {
    /** As the class's annotation says, else the property {@code boltwork.lock.type}, else {@link #REENTRANT}. */
    DEFAULT,
    /** Clients take turns, and a client serves its threads in their order; many times the throughput of {@link #FAIR}. */
    REENTRANT,
    /** Strictly in the order in which the requests arrived, over all clients. */
    FAIR
}
