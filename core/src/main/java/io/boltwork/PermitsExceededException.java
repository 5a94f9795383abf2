// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/**
 * A request wants more permits of a semaphore than there are. It was refused at once, and holds nothing.
 *
 * @since 0.1.0
 */
public final class PermitsExceededException extends LockException {

    private static final long serialVersionUID = 1L;

    /** The name of the semaphore. */
    private final String name;

    /** The permits that were wanted. */
    private final int permits;

    /** The permits of the semaphore when the request was refused. */
    private final int capacity;

    /**
     * Creates the exception.
     *
     * @param name the name of the semaphore
     * @param permits the permits that were wanted
     * @param capacity the permits of the semaphore
     */
    public PermitsExceededException(String name, int permits, int capacity) {
        super(
                "The semaphore '" + name + "' has " + capacity + " permits, and " + permits
                        + " were wanted. Acquire fewer at a time, or resize the semaphore",
                null);
        this.name = name;
        this.permits = permits;
        this.capacity = capacity;
    }

    /**
     * Returns the name of the semaphore.
     *
     * @return the name
     */
    public String semaphore() {
        return name;
    }

    /**
     * Returns the permits that were wanted.
     *
     * @return the permits
     */
    public int permits() {
        return permits;
    }

    /**
     * Returns the permits of the semaphore when the request was refused.
     *
     * @return its permits, all of them
     */
    public int capacity() {
        return capacity;
    }
}
