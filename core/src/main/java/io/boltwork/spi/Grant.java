// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The message that a lock was granted to a waiting request.
 *
 * @param lock the name of the lock
 * @param request the request that owns it now
 * @param token the first token of the hold's block
 * @param leaseMillis the lease, counted from the time in {@code server}; short (a <em>claim</em>) until the owner
 *     renews it
 * @param server the server and the time of the grant
 * @param kind the kind of the lock
 * @param blockEnd the last token of the hold's block; 0 for a plain lock, whose blocks all have the same length
 * @param signalled whether the request has taken a signal of a condition
 * @since 0.1.0
 */
public record Grant(
        String lock,
        String request,
        long token,
        long leaseMillis,
        ServerTime server,
        LockKind kind,
        long blockEnd,
        boolean signalled) {
    /**
     * The message that a plain lock was granted.
     *
     * @param lock the name of the lock
     * @param request the request that owns it now
     * @param token the first token of the hold's block
     * @param leaseMillis the lease, counted from {@code server}
     * @param server the server and the time of the grant
     */
    public Grant(String lock, String request, long token, long leaseMillis, ServerTime server) {
        this(lock, request, token, leaseMillis, server, LockKind.LOCK, 0, false);
    }

    /**
     * The message that a shared lock was granted.
     *
     * @param lock the name of the lock
     * @param request the request that holds a part of it now
     * @param token the first token of the hold's block
     * @param leaseMillis the lease, counted from {@code server}
     * @param server the server and the time of the grant
     * @param kind the kind of the lock
     * @param blockEnd the last token of the hold's block
     */
    public Grant(
            String lock,
            String request,
            long token,
            long leaseMillis,
            ServerTime server,
            LockKind kind,
            long blockEnd) {
        this(lock, request, token, leaseMillis, server, kind, blockEnd, false);
    }

    @Override
    public String toString() {
        return Printable.text("Grant[lock=" + lock + ", request=" + request + ", token=" + token + ", leaseMillis="
                + leaseMillis + ", server=" + server
                + ", kind=" + kind + ", blockEnd=" + blockEnd + ", signalled=" + signalled + "]");
    }
}
