// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import io.boltwork.LockException;

/**
 * Thrown if the thread is interrupted while it waits for a lock. Nothing was executed, and the thread's interrupt
 * status is set. A method that declares {@link InterruptedException} throws that instead.
 *
 * @since 0.1.0
 */
public final class LockInterruptedException extends LockException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param lockName the lock's name
     * @param cause the interrupt
     */
    public LockInterruptedException(String lockName, InterruptedException cause) {
        super("Interrupted while waiting for the lock '" + lockName + "'; nothing was executed", cause);
    }
}
