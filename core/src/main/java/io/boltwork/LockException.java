// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The superclass of all exceptions that Boltwork itself defines, except {@link InvalidNameException}. Each subclass
 * states what is known about the lock: {@link LockTimeoutException} that it was refused,
 * {@link PermitsExceededException} that a semaphore is too small, {@link LeaseLostException} that a hold was lost,
 * {@link io.boltwork.fence.StaleTokenException} that another holder has come to the resource since,
 * {@link BackendException} that the outcome is unknown, {@link ClientClosedException} that the client is closed.
 *
 * @since 0.1.0
 */
public abstract class LockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. For use by Boltwork's own modules.
     *
     * @param message what happened to which lock, and what to do; control characters in it are escaped
     * @param cause the underlying failure, or {@code null}
     */
    protected LockException(String message, @Nullable Throwable cause) {
        super(Printable.text(message), cause);
    }
}
