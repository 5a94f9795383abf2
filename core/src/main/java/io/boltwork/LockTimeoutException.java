// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import java.time.Duration;

/**
 * Thrown if the lock was refused: another owner had it for as long as the caller was willing to wait. Thrown by
 * {@link FencedLock#run}, {@link FencedLock#call} and {@link FencedLock#callAsync}; the body was not executed, and
 * nothing is left behind.
 *
 * @since 0.1.0
 */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    /** The name of the lock. */
    private final String lockName;

    /**
     * Creates the exception.
     *
     * @param lockName the name of the lock
     * @param wait how long the caller was willing to wait
     */
    public LockTimeoutException(String lockName, Duration wait) {
        super(
                "The lock '" + lockName + "' was taken throughout the " + Durations.text(wait)
                        + " that the caller was willing to wait; the body was not executed",
                null);
        this.lockName = lockName;
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    public String lockName() {
        return lockName;
    }
}
