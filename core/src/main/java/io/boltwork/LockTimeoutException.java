package io.boltwork;

import java.time.Duration;

/**
 * The lock was refused: taken by somebody else for as long as the caller was willing to wait. Thrown by {@link
 * FencedLock#run}, {@link FencedLock#call} and {@link FencedLock#callAsync}, whose body has not been executed; nothing is left behind.
 */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    /** The lock's name. */
    private final String lockName;

    LockTimeoutException(String lockName, Duration wait) {
        super(
                "The lock '" + lockName + "' was taken for all of the " + Durations.text(wait)
                        + " that the caller was willing to wait; the body was not executed",
                null);
        this.lockName = lockName;
    }

    /**
     * The lock's name.
     *
     * @return the name
     */
    public String lockName() {
        return lockName;
    }
}
