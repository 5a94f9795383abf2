package io.boltwork;

import org.jspecify.annotations.Nullable;

/**
 * The backend did not give an answer, or gave one that is an error. Thrown by a call that wanted a lock, it means that
 * the outcome is <em>unknown</em>: the caller does not hold the lock, and the client has already queued the undoing of
 * whatever may have happened at the server.
 */
public final class BackendException extends LockException {
    private static final long serialVersionUID = 1L;

    /** Whether waiting may heal it. */
    private final boolean retryable;

    /**
     * A failure of a backend.
     *
     * @param message what happened, at which server, and what to do
     * @param retryable whether waiting may heal it: {@code true} for an outage, {@code false} for wrong credentials,
     *     missing rights, a key of another type, a server that is too old
     * @param cause the failure underneath, or {@code null}
     */
    public BackendException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    /**
     * Tells whether the same call may succeed later without anybody changing anything. Who tries again in a loop asks this first:
     * what waiting cannot heal is thrown at once, every time.
     *
     * @return {@code true} for an outage; {@code false} for what waiting cannot heal
     */
    public boolean isRetryable() {
        return retryable;
    }
}
