package io.boltwork.spring;

/** What happens to a caller that does not get the lock. */
public enum OnRefused {
    /** As the class's annotation says, else the property {@code boltwork.lock.on-refused}, else {@link #THROW}. */
    DEFAULT,
    /** It gets a {@link LockRefusedException}. */
    THROW,
    /** It gets {@code null}, or a stage or publisher without a value. Not for methods that return a primitive value. */
    RETURN_NULL,
    /** It gets what the method {@link DistributedLock#fallback()} returns. */
    FALLBACK
}
