// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import io.boltwork.spi.LockBackend;
import java.time.Duration;

/**
 * A lock server that several clients share, and the faults that can affect it. This is all that the contract
 * needs to know about a backend. Each method returns when its effect is complete.
 *
 * @since 0.1.0
 */
public interface LockSite {

    /**
     * Creates another backend for this server.
     *
     * @return a new backend, not opened, with a command timeout of half a second to a second
     */
    LockBackend newBackend();

    /** Makes the server forget all locks. It keeps running, and connections stay open. */
    void flush();

    /**
     * Makes the server forget a lock, including its fence.
     *
     * @param name the lock's name; contains only letters, digits, colons and hyphens
     */
    void deleteLock(String name);

    /**
     * Suspends the server. Connections stay open, and new ones may be accepted, but nothing is answered until {@link
     * #thaw()}.
     */
    void freeze();

    /**
     * Resumes a frozen server, which then executes the commands that it was sent. Does nothing if the server is not
     * frozen.
     */
    void thaw();

    /** Breaks every connection of every backend. Connections may be re-established at once. */
    void disconnectAll();

    /** Kills the server and starts another one without data in its place. */
    void restartEmpty();

    /**
     * Returns the number of replicas of the server that confirm each write within a second.
     *
     * @return their number, 0 unless overridden
     */
    default int replicas() {
        return 0;
    }

    /**
     * Returns the number of clients to which the server would deliver grants.
     *
     * @return their number
     */
    int listeners();

    /**
     * Returns whether the server has a queue of waiting requests: FIFO order, positions, requests that can be
     * inspected.
     *
     * @return {@code true} unless overridden
     */
    default boolean hasQueue() {
        return true;
    }

    /**
     * Returns whether the locks are shared with another program. Then a hold that the server has forgotten is lost
     * instead of restored, and names with braces are refused.
     *
     * @return {@code false} unless overridden
     */
    default boolean isBridged() {
        return false;
    }

    /**
     * Returns the longest lease that the backend allows.
     *
     * @return 365 days unless overridden
     */
    default Duration longestLease() {
        return Duration.ofDays(365);
    }

    /**
     * Returns by how much two looks at a lease may differ about its end: several servers have several clocks.
     *
     * @return zero unless overridden
     */
    default Duration clockTolerance() {
        return Duration.ZERO;
    }
}
