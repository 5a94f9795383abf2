package io.boltwork.spring;

/** When the release of a lock returns. */
public enum LockRelease {
    /** As the class's annotation says, else the property {@code boltwork.lock.release}, else {@link #AWAITED}. */
    DEFAULT,
    /** When the backend has answered: see {@link io.boltwork.LockOptions.Release#AWAITED}. */
    AWAITED,
    /** When it is on its way: see {@link io.boltwork.LockOptions.Release#SENT}. */
    SENT
}
