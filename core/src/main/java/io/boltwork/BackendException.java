// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the backend gave no answer, or answered with an error. If a call that acquires a lock throws it, the
 * outcome is <em>unknown</em>: the caller does not hold the lock, and the client has already arranged to undo anything
 * that may have happened on the server.
 *
 * @since 0.1.0
 */
public final class BackendException extends LockException {
    private static final long serialVersionUID = 1L;

    /** {@code true} if waiting may heal the failure. */
    private final boolean retryable;

    /**
     * Creates an exception for a failure of a backend.
     *
     * @param message what happened, at which server, and what to do
     * @param retryable whether waiting may heal it: {@code true} for an outage; {@code false} for wrong credentials,
     *     missing permissions, a key of another type, or a server that is too old
     * @param cause the underlying failure, or {@code null}
     */
    public BackendException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    /**
     * Returns whether the same call may succeed later without any change to the configuration. A caller that retries in
     * a loop must check this first: a failure that waiting cannot heal is thrown immediately, every time.
     *
     * @return {@code true} for an outage; {@code false} for a failure that waiting cannot heal
     */
    public boolean isRetryable() {
        return retryable;
    }
}
