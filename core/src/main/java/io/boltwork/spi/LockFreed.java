// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * The message that a lock may be free, to a client that waits for it. A server of a quorum sends it to a client whose
 * {@link VoteCommand.Vote} it has refused. A backend sends it if another program has freed a lock that it shares.
 *
 * @param lock the name of the lock
 * @param server the server and the time at which the lock became free, or the time 0 if that is not known
 * @since 0.1.0
 */
public record LockFreed(String lock, ServerTime server) {
    /**
     * Returns a message without a time.
     *
     * @param lock the name of the lock
     * @param run the run of the server
     * @return the message
     */
    public static LockFreed withoutTime(String lock, String run) {
        return new LockFreed(lock, new ServerTime(0, run));
    }

    @Override
    public String toString() {
        return Printable.text("LockFreed[lock=" + lock + ", server=" + server + "]");
    }
}
