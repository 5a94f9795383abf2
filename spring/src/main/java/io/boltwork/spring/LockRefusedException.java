package io.boltwork.spring;

import io.boltwork.LockException;

/** The lock of a {@link DistributedLock} or {@link LockTemplate} was taken by somebody else; nothing was executed. */
public final class LockRefusedException extends LockException {
    private static final long serialVersionUID = 1L;

    /** The lock's name. */
    private final String lockName;

    LockRefusedException(String lockName, String message) {
        super(message, null);
        this.lockName = lockName;
    }

    /**
     * Which lock.
     *
     * @return its name
     */
    public String lockName() {
        return lockName;
    }
}
