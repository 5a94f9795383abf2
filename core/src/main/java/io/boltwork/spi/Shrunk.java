// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The message that the capacity of a shared lock was reduced, to each client that holds a part of the lock or waits for
 * one. A request that no longer fits asks again, and is refused for good.
 *
 * @param lock the name of the lock
 * @param request a request of the client
 * @param capacity the new capacity
 * @param server the server and the time at which the capacity was set
 * @param kind the kind of the lock
 * @since 0.1.0
 */
public record Shrunk(String lock, String request, int capacity, ServerTime server, LockKind kind)
        implements HolderMessage {
    @Override
    public String toString() {
        return Printable.text("Shrunk[lock=" + lock + ", request=" + request + ", capacity=" + capacity + ", server="
                + server + ", kind=" + kind + "]");
    }
}
