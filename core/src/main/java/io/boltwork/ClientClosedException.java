package io.boltwork;

/** The {@link LockClient} was closed before or while the call waited; the caller does not hold the lock. */
public final class ClientClosedException extends LockException {
    private static final long serialVersionUID = 1L;

    ClientClosedException(String message) {
        super(message, null);
    }
}
