// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The outcome for a caller while the backend does not answer. The method is not executed, whatever the outcome.
 *
 * @since 0.1.0
 */
public enum OnUnavailable {
    /**
     * Uses the class's annotation if present, then the property {@code boltwork.lock.on-unavailable}, then {@link
     * #THROW}.
     */
    DEFAULT,
    /** The caller gets a {@link io.boltwork.BackendException}. */
    THROW,
    /**
     * The caller gets {@code null}, or a stage or publisher without a value. Not for methods that return a primitive
     * value.
     */
    RETURN_NULL,
    /** The caller gets the result of a method that {@link DistributedLock#fallback()} names. */
    FALLBACK
}
