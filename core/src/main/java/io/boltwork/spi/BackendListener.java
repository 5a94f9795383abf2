package io.boltwork.spi;

import java.util.BitSet;

/** What a backend tells its client unasked. Called on the backend's own threads; implementations do not block. */
public interface BackendListener {

    /**
     * A request of this client was granted. Messages may be late, doubled or lost.
     *
     * @param grant what was granted
     */
    void granted(Grant grant);

    /**
     * A lock was taken away from a request of this client by force. Messages may be late, doubled or lost; a client that does not
     * hear of it learns it from its next renewal or verification.
     *
     * @param taken what was taken away
     */
    default void taken(Taken taken) {}

    /**
     * A connection to the server has been made and grants are delivered from now on: at {@link LockBackend#open} and after
     * every outage, of the connection for commands and of the one for messages alike. Grants and replies of the time before
     * may have been lost, and the server may be another one.
     *
     * @param server the clock of the server
     */
    void connected(ServerTime server);

    /**
     * The same of some {@linkplain LockBackend#partitions partitions} only: a connection to the server that has these has been
     * made, or they have moved to a server that there is a connection to.
     *
     * @param server the clock of the server
     * @param partitions which ones; a copy
     */
    default void connected(ServerTime server, BitSet partitions) {
        connected(server);
    }

    /**
     * The server is set up so that promises are weaker than the user may believe. Told once for each such thing, after {@link
     * #connected}.
     *
     * @param what for people
     */
    default void warned(String what) {}

    /**
     * A connection to the server was lost; the backend tries to make a new one by itself.
     *
     * @param cause what happened
     */
    void disconnected(Throwable cause);

    /**
     * The same of some {@linkplain LockBackend#partitions partitions} only.
     *
     * @param cause what happened
     * @param partitions which ones; a copy
     */
    default void disconnected(Throwable cause, BitSet partitions) {
        disconnected(cause);
    }
}
