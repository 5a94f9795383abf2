package io.boltwork.redis;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.function.Consumer;

/** Takes over what a node of a cluster did not do, because another one has the slot. Thread-safe. */
interface Redirector {

    /** Hops of a command that is not to be redirected at all. */
    int STAYS = Integer.MAX_VALUE;

    /** Where there are no slots. */
    Redirector NONE = (from, command, slot, hops, error, handler) -> false;

    /**
     * A node answered with an error.
     *
     * @param from the connection to it
     * @param command what it did not do
     * @param slot of the lock that it is about
     * @param hops how often it was redirected already
     * @param error the node's words
     * @param handler who takes the reply
     * @return whether the reply will come from elsewhere; if not the error is the reply
     */
    boolean redirected(
            ServerConnection from, Command<?> command, int slot, int hops, String error, Consumer<Reply> handler);
}
