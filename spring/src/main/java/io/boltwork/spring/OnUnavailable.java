package io.boltwork.spring;

/** What happens to a caller while the backend gives no answer. The method is not executed in any case. */
public enum OnUnavailable {
    /** As the class's annotation says, else the property {@code boltwork.lock.on-unavailable}, else {@link #THROW}. */
    DEFAULT,
    /** It gets a {@link io.boltwork.BackendException}. */
    THROW,
    /** It gets {@code null}, or a stage or publisher without a value. Not for methods that return a primitive value. */
    RETURN_NULL,
    /** It gets what a method that {@link DistributedLock#fallback()} names returns. */
    FALLBACK
}
