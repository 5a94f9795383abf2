package io.boltwork.spring;

/** What happens when a lease is lost while its method is running. */
public enum OnLost {
    /** As the class's annotation says, else the property {@code boltwork.lock.on-lost}, else {@link #THROW}. */
    DEFAULT,
    /** The caller gets a {@link io.boltwork.LeaseLostException} after the method has ended, unless that has thrown an exception of its own. */
    THROW,
    /** The thread is interrupted at once, and then as {@link #THROW}. Not for asynchronous methods. */
    INTERRUPT,
    /** Nothing: for methods whose work does no harm when it is done twice. */
    IGNORE
}
