// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The outcome for a caller that does not get the lock.
 *
 * @since 0.1.0
 */
public enum OnRefused {
    /**
     * Uses the class's annotation if present, then the property {@code boltwork.lock.on-refused}, then the {@link
     * LockRefusal} bean if present, then {@link #THROW}.
     */
    DEFAULT,
    /** The caller gets a {@link LockRefusedException}. */
    THROW,
    /**
     * The caller gets {@code null}, or a stage or publisher without a value. Not for methods that return a primitive
     * value.
     */
    RETURN_NULL,
    /** The caller gets the result of a method that {@link DistributedLock#fallback()} names. */
    FALLBACK
}
