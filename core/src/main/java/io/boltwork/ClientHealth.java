// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.List;

/**
 * The state of a client and its backend at one moment. Immutable.
 *
 * @param connected whether the client is connected to the backend, and grants can arrive
 * @param usable whether locks can be acquired and kept, as far as the client knows: it is connected, each server that
 *     it needs answers and does not say that it {@linkplain NodeStatus#refuses refuses} locks, and the backend has not
 *     answered all acquisitions of the last seconds, or all renewals, with errors. If an error was the last answer, and
 *     it is a minute old, it no longer counts. {@code warnings} or the problem of a server says why not
 * @param nodes the servers and sentinels, the server that the client uses first; empty if the backend has none
 * @param held how many locks this client holds
 * @param retained how many more locks it keeps although no thread holds them; see {@link LockOptions#withRetention}
 * @param waiting how many callers of this client wait for a lock
 * @param renewalLag by how much the most overdue renewal is late; 0 if none is. A lease is renewed when about a third
 *     of it has passed, so it is in danger when this value approaches half of the lease
 * @param warnings the problems that make the promises of the locks weaker than they may seem, as reported to
 *     {@link LockListener#backendWarning}; what the backend refuses at the moment, and why; and, if an error has
 *     interrupted the client's work, a warning until all its locks have been checked
 * @param conflicts how often the client had to repeat a command since it was created, because another client had
 *     changed the lock meanwhile. Always 0 on Redis and in memory, which execute one command after the other. Many more
 *     than the acquisitions: too many clients contend for a lock in a database
 * @param retainedLost how many retained leases were lost since the client was created, because a server had lost its
 *     data or was not reached in time. No owner had them, so that is no {@linkplain LockListener#lost loss}: the next
 *     acquisition takes one request more
 * @since 0.1.0
 */
public record ClientHealth(
        boolean connected,
        boolean usable,
        List<NodeStatus> nodes,
        int held,
        int retained,
        int waiting,
        Duration renewalLag,
        List<String> warnings,
        long conflicts,
        long retainedLost) {

    /**
     * Copies the lists.
     *
     * @param connected whether the client is connected
     * @param usable whether locks can be acquired and kept
     * @param nodes the servers
     * @param held how many locks are held
     * @param retained how many more are retained
     * @param waiting how many callers wait
     * @param renewalLag by how much the most overdue renewal is late
     * @param warnings the problems that make promises weaker
     * @param conflicts how often commands had to be repeated
     * @param retainedLost how many retained leases were lost
     */
    public ClientHealth {
        nodes = List.copyOf(nodes);
        warnings = List.copyOf(warnings);
    }

    @Override
    public String toString() {
        return Printable.text("ClientHealth[connected=" + connected + ", usable=" + usable + ", nodes=" + nodes
                + ", held=" + held
                + ", retained=" + retained + ", waiting=" + waiting + ", renewalLag=" + renewalLag + ", warnings="
                + warnings + ", conflicts=" + conflicts + ", retainedLost=" + retainedLost + "]");
    }
}
