package io.boltwork.spring;

import io.boltwork.LockException;

/**
 * The thread was interrupted while it waited for a lock; nothing was executed, and the thread's flag is set. A method that
 * declares {@link InterruptedException} throws that instead.
 */
public final class LockInterruptedException extends LockException {
    private static final long serialVersionUID = 1L;

    LockInterruptedException(String lockName, InterruptedException cause) {
        super("Interrupted while waiting for the lock '" + lockName + "'; nothing was executed", cause);
    }
}
