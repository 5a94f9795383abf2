// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.function.Consumer;

/** Redirects commands that a node of a cluster has refused because another node has the slot. Thread-safe. */
public interface Redirector {

    /** The number of hops of a command that must not be redirected. */
    int STAYS = Integer.MAX_VALUE;

    /** Redirects nothing. For servers without slots. */
    Redirector NONE = (from, command, slot, hops, error, handler) -> false;

    /**
     * Sends a command to another node if the error of a node says so.
     *
     * @param from the connection to the node
     * @param command the refused command
     * @param slot the slot of its lock
     * @param hops the number of redirections so far
     * @param error the error
     * @param handler the handler of the reply
     * @return whether the reply will come from another node; if not, the error is the reply
     */
    boolean redirected(
            ServerConnection from, Command<?> command, int slot, int hops, String error, Consumer<Reply> handler);
}
