// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/**
 * Thrown if the {@link LockClient} was closed before the call or while it waited. The caller does not hold the lock.
 *
 * @since 0.1.0
 */
public final class ClientClosedException extends LockException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was asked of the closed client
     */
    public ClientClosedException(String message) {
        super(message, null);
    }
}
