// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The part of a lock that a request wants. The weights of all holds add up to the capacity at most. The holder of a
 * plain lock has all of it: 1 of 1.
 *
 * @param kind the kind of the lock
 * @param permits the weight of the request, 1 or more
 * @param of the capacity, as far as the client knows it
 * @param set when that capacity was set, in microseconds of the server's clock; 0 if it comes from the client's
 *     configuration
 * @since 0.1.0
 */
public record Share(LockKind kind, int permits, int of, long set) {

    /** The whole of a plain lock. */
    public static final Share WHOLE = new Share(LockKind.LOCK, 1, 1, 0);

    /** The share of a reader. */
    public static final Share READ = new Share(LockKind.READ_WRITE, 1, Integer.MAX_VALUE, 0);

    /** The share of a writer: everything. */
    public static final Share WRITE = new Share(LockKind.READ_WRITE, Integer.MAX_VALUE, Integer.MAX_VALUE, 0);

    /**
     * Returns whether a plain lock is meant.
     *
     * @return {@code true} for {@link LockKind#LOCK}
     */
    public boolean isWhole() {
        return kind == LockKind.LOCK;
    }
}
