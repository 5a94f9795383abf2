// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The time at which the release of a lock returns.
 *
 * @since 0.1.0
 */
public enum LockRelease {
    /**
     * Uses the class's annotation if present, then the property {@code boltwork.lock.release}, then {@link #AWAITED}.
     */
    DEFAULT,
    /** Returns when the backend has answered: see {@link io.boltwork.LockOptions.Release#AWAITED}. */
    AWAITED,
    /** Returns when the release has been sent: see {@link io.boltwork.LockOptions.Release#SENT}. */
    SENT
}
