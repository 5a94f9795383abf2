// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import io.boltwork.LockException;

/**
 * Thrown if another owner holds the lock of a {@link DistributedLock} or {@code LockTemplate}. Nothing was executed.
 *
 * @since 0.1.0
 */
public final class LockRefusedException extends LockException {
    private static final long serialVersionUID = 1L;

    /** The lock's name. */
    private final String lockName;

    /**
     * Creates an exception.
     *
     * @param lockName the lock's name
     * @param message the message
     */
    public LockRefusedException(String lockName, String message) {
        super(message, null);
        this.lockName = lockName;
    }

    /**
     * Returns the name of the lock that was refused.
     *
     * @return the lock's name
     */
    public String lockName() {
        return lockName;
    }
}
