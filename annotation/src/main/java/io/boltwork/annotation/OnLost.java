// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The behavior when a lease is lost while its method is running.
 *
 * @since 0.1.0
 */
public enum OnLost {
    /** Uses the class's annotation if present, then the property {@code boltwork.lock.on-lost}, then {@link #THROW}. */
    DEFAULT,
    /**
     * The caller gets a {@link io.boltwork.LeaseLostException} after the method has ended, unless the method throws an
     * exception itself.
     */
    THROW,
    /** Interrupts the thread at once, and then behaves like {@link #THROW}. Not for asynchronous methods. */
    INTERRUPT,
    /** Ignores the loss. For methods whose work does no harm if it is done twice. */
    IGNORE
}
