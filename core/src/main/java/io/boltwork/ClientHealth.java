package io.boltwork;

import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.List;

/**
 * How a client and its backend are at one moment. Immutable.
 *
 * @param connected whether the client is connected to the backend, and grants can arrive
 * @param nodes the servers, and those who know of them; the one that the client uses first. Empty if the backend has none
 * @param held how many locks are held by this client
 * @param waiting how many of its callers wait for a lock
 * @param renewalLag by how much the renewal that is most overdue is late; 0 if none is. A lease is renewed when about a third
 *     of it has passed, so it is in danger when this comes near to half of it
 * @param warnings what makes the promises of the locks weaker than they may seem, as told to {@link
 *     LockListener#backendWarning}; and, until the locks have been looked after, that an error has cut short what the client was doing
 */
public record ClientHealth(
        boolean connected, List<NodeStatus> nodes, int held, int waiting, Duration renewalLag, List<String> warnings) {

    /**
     * Copies the lists.
     *
     * @param connected whether the client is connected
     * @param nodes the servers
     * @param held how many locks are held
     * @param waiting how many callers wait
     * @param renewalLag by how much the most overdue renewal is late
     * @param warnings what makes promises weaker
     */
    public ClientHealth {
        nodes = List.copyOf(nodes);
        warnings = List.copyOf(warnings);
    }

    @Override
    public String toString() {
        return Printable.text("ClientHealth[connected=" + connected + ", nodes=" + nodes + ", held=" + held
                + ", waiting=" + waiting + ", renewalLag=" + renewalLag + ", warnings=" + warnings + "]");
    }
}
