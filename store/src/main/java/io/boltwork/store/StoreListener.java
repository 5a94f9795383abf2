// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.ServerTime;

/**
 * Receives what a {@link RecordStore} reports. Called on the store's own threads.
 *
 * @since 0.1.0
 */
public interface StoreListener {

    /**
     * Called when a message for this client has come. A message may come late, twice or not at all.
     *
     * @param text the text that was given to {@link RecordStore#sendMessage}
     */
    void message(String text);

    /**
     * Called when a connection has been made, and messages arrive from now on: in {@link RecordStore#open} and after
     * every {@link #disconnected}.
     *
     * @param server the clock of the store
     */
    void connected(ServerTime server);

    /**
     * Called when a connection was lost. The store makes a new one by itself.
     *
     * @param cause the failure
     */
    void disconnected(Throwable cause);

    /**
     * Called when the store has ended without having been closed: its user has closed a part that was given to it, such
     * as a pool of connections. From now on, each method fails at once with a failure that is not retryable. Calls
     * {@link #disconnected} unless overridden.
     *
     * @param cause the failure, which names the part
     */
    default void ended(BackendException cause) {
        disconnected(cause);
    }

    /**
     * Called when the configuration of the store makes promises weaker than the user may believe.
     *
     * @param what the problem, as text for users
     */
    void warned(String what);
}
