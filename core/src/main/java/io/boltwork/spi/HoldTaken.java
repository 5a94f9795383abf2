// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The message that a lock was taken away from a request by force. The request no longer owns the lock.
 *
 * @param lock the name of the lock
 * @param request the request that owned it
 * @param token the first token of its hold
 * @param server the server and the time at which it was taken
 * @param kind the kind of the lock
 * @since 0.1.0
 */
public record HoldTaken(String lock, String request, long token, ServerTime server, LockKind kind)
        implements HolderMessage {
    /**
     * The message that a plain lock was taken away.
     *
     * @param lock the name of the lock
     * @param request the request that owned it
     * @param token the first token of its hold
     * @param server the server and the time at which it was taken
     */
    public HoldTaken(String lock, String request, long token, ServerTime server) {
        this(lock, request, token, server, LockKind.LOCK);
    }

    @Override
    public String toString() {
        return Printable.text("HoldTaken[lock=" + lock + ", request=" + request + ", token=" + token + ", server="
                + server + ", kind=" + kind + "]");
    }
}
