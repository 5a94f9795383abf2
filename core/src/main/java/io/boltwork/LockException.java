package io.boltwork;

import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The root of everything that Boltwork throws on its own account. Its kinds say what is known about the lock:
 * {@link LockTimeoutException} that it was refused, {@link LeaseLostException} that a hold has ended against the holder's will, {@link BackendException} that the outcome
 * is not known, {@link ClientClosedException} that nobody is left to ask.
 */
public abstract class LockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For Boltwork's own modules.
     *
     * @param message what happened to which lock, and what to do; control characters in it are escaped
     * @param cause the failure underneath, or {@code null}
     */
    protected LockException(String message, @Nullable Throwable cause) {
        super(Printable.text(message), cause);
    }
}
