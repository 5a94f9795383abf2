// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.BitSet;

/**
 * Receives the messages of a backend to its client. Called on the backend's own threads; implementations must not
 * block.
 *
 * @since 0.1.0
 */
public interface BackendListener {

    /**
     * Called when a request of this client was granted. Messages may be late, duplicated or lost.
     *
     * @param grant the grant
     */
    void granted(Grant grant);

    /**
     * Called when there is news for the owner of a lock, and a request of this client owns it: the lock was taken away
     * by force, or other clients want it. Messages may be late, duplicated or lost. A client that misses the message
     * learns of it from its next renewal or verification.
     *
     * @param message the lock and the request
     */
    default void told(HolderMessage message) {}

    /**
     * Called when the count of a latch for which this client waits has become zero. Messages may be late, duplicated or
     * lost.
     *
     * @param opened the latch
     */
    default void opened(LatchOpened opened) {}

    /**
     * Called when the vote of a server is free that was refused to this client, or when another program may have freed
     * a lock for which this client waits. Messages may be late, duplicated or lost.
     *
     * @param freed the lock
     */
    default void freed(LockFreed freed) {}

    /**
     * Called when a connection to the server has been made and grants are delivered from now on: at
     * {@link LockBackend#open} and after every outage of the connection for commands or of the one for messages.
     * Earlier grants and replies may have been lost, and the server may be a different one.
     *
     * @param server the clock of the server
     */
    void connected(ServerTime server);

    /**
     * Called like {@link #connected(ServerTime)}, for some {@linkplain LockBackend#partitions partitions} only: a
     * connection to the server that has these partitions has been made, or they have moved to a server that is already
     * connected.
     *
     * @param server the clock of the server
     * @param partitions the partitions; a copy
     */
    default void connected(ServerTime server, BitSet partitions) {
        connected(server);
    }

    /**
     * Called when the configuration of the server makes promises weaker than the user may believe. Called once for each
     * such problem, after {@link #connected}.
     *
     * @param what the problem, as text for users
     */
    default void warned(String what) {}

    /**
     * Called when a connection to the server was lost. The backend tries to make a new one by itself.
     *
     * @param cause the failure
     */
    void disconnected(Throwable cause);

    /**
     * Called when the backend has ended without having been closed: its user has closed a part that was given to it,
     * such as a pool of connections. From now on, each command fails at once, and no connection will be made again.
     * Calls {@link #disconnected(Throwable)} unless overridden.
     *
     * @param refusal the reply to each command: a failure that names the part, and is not retryable
     */
    default void ended(Reply.Failed refusal) {
        disconnected(refusal.cause());
    }

    /**
     * Called like {@link #disconnected(Throwable)}, for some {@linkplain LockBackend#partitions partitions} only.
     *
     * @param cause the failure
     * @param partitions the partitions; a copy
     */
    default void disconnected(Throwable cause, BitSet partitions) {
        disconnected(cause);
    }
}
