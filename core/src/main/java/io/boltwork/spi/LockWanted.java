// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;

/**
 * The message that another client waits for a plain lock whose request may {@linkplain RequestId#isRetained retain} it.
 * The request still owns the lock, and its client gives it back when it is not in use.
 *
 * @param lock the name of the lock
 * @param request the request that owns it
 * @param token the first token of its hold
 * @param server the server and the time at which it was wanted
 * @since 0.1.0
 */
public record LockWanted(String lock, String request, long token, ServerTime server) implements HolderMessage {
    @Override
    public LockKind kind() {
        return LockKind.LOCK;
    }

    @Override
    public String toString() {
        return Printable.text(
                "LockWanted[lock=" + lock + ", request=" + request + ", token=" + token + ", server=" + server + "]");
    }
}
