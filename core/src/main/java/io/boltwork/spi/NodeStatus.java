package io.boltwork.spi;

import java.time.Duration;

/**
 * How one server of a backend is, or somebody who knows of them.
 *
 * @param address where it is, without credentials
 * @param role what it is
 * @param reachable whether it has answered just now
 * @param latency how long the answer took; 0 if there was none
 * @param version what it calls its version; empty if it did not say
 * @param problem why there was no answer, or what is wrong with a server that has answered; empty if nothing is
 */
public record NodeStatus(
        String address, Role role, boolean reachable, Duration latency, String version, String problem) {

    /** What a server is for. */
    public enum Role {
        /** It keeps the leases. */
        MASTER,
        /** It has a copy of them. */
        REPLICA,
        /** It knows who the master is. */
        SENTINEL,
        /** It has not said. */
        UNKNOWN
    }

    @Override
    public String toString() {
        return Printable.text("NodeStatus[address=" + address + ", role=" + role + ", reachable=" + reachable
                + ", latency=" + latency + ", version=" + version + ", problem=" + problem + "]");
    }
}
