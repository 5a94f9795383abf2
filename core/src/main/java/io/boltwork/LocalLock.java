// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.util.List;

/**
 * A lock as one client uses it, including the threads of that client's JVM, which the backend does not know.
 *
 * @param kind the kind of the lock
 * @param name the name of the lock
 * @param holders those that hold the lock in this client, in no particular order; at most one for a plain lock
 * @param waiting how many callers of this client wait for the lock
 * @since 0.1.0
 */
public record LocalLock(LockKind kind, String name, List<Holder> holders, int waiting) {

    /**
     * Copies the holders.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @param holders those that hold the lock in this client
     * @param waiting how many callers of this client wait for the lock
     */
    public LocalLock {
        holders = List.copyOf(holders);
    }

    /**
     * A thread, a handle or another owner that holds the lock.
     *
     * @param request the request on the backend, as in {@link LockInfo.Holder}; readers may share one
     * @param owner the name of the thread or of the {@link LockOwner} that holds the lock; the name of the thread that
     *     asked for it if a handle holds it
     * @param fencingToken the token of the hold
     */
    public record Holder(String request, String owner, long fencingToken) {
        @Override
        public String toString() {
            return Printable.text(
                    "Holder[request=" + request + ", owner=" + owner + ", fencingToken=" + fencingToken + "]");
        }
    }

    @Override
    public String toString() {
        return Printable.text(
                "LocalLock[kind=" + kind + ", name=" + name + ", holders=" + holders + ", waiting=" + waiting + "]");
    }
}
