// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * A message to the client of a request that owns, has owned or waits for a lock. Messages may be late, duplicated or
 * lost.
 *
 * @since 0.1.0
 */
public sealed interface HolderMessage permits HoldTaken, LockWanted, Shrunk {

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    String lock();

    /**
     * Returns the request that the message is about.
     *
     * @return the id of the request
     */
    String request();

    /**
     * Returns the server that sent the message, and when.
     *
     * @return the server and the time
     */
    ServerTime server();

    /**
     * Returns the kind of the lock.
     *
     * @return the kind
     */
    LockKind kind();
}
