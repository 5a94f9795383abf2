// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/**
 * The kinds of locks that a client offers. Names of different kinds have nothing to do with each other.
 *
 * @since 0.1.0
 */
public enum LockKind {
    /** A {@link FencedLock}: one holder at a time. */
    LOCK,
    /** A read-write lock: one writer, or any number of readers. */
    READ_WRITE,
    /** A semaphore: holders share its permits. */
    SEMAPHORE
}
