// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.time.Duration;

/**
 * The status of one server of a backend, or of a sentinel.
 *
 * @param address the address of the server, without credentials
 * @param role the role of the server
 * @param reachable whether it has just answered
 * @param latency how long the answer took; 0 if there was none
 * @param version the version that it reports; empty if it reported none
 * @param problem why there was no answer, or what is wrong with a server that has answered; empty if nothing is wrong
 * @param refuses whether acquisitions fail now because of this server, for the reason that {@code problem} gives: the
 *     client needs it and it does not answer, or it says that it would refuse them
 * @since 0.1.0
 */
public record NodeStatus(
        String address,
        Role role,
        boolean reachable,
        Duration latency,
        String version,
        String problem,
        boolean refuses) {

    /**
     * The status of a server because of which no acquisition fails, as far as is known.
     *
     * @param address the address of the server
     * @param role the role of the server
     * @param reachable whether it has just answered
     * @param latency how long the answer took
     * @param version the version that it reports
     * @param problem what is wrong
     */
    public NodeStatus(String address, Role role, boolean reachable, Duration latency, String version, String problem) {
        this(address, role, reachable, latency, version, problem, false);
    }

    /** The role of a server. */
    public enum Role {
        /** Keeps the leases. */
        MASTER,
        /** Has a copy of the leases. */
        REPLICA,
        /** Knows which server is the master. */
        SENTINEL,
        /** Has not reported its role. */
        UNKNOWN
    }

    /**
     * Returns the same status with another value of {@code refuses}.
     *
     * @param refuses whether acquisitions fail now because of this server
     * @return the status
     */
    public NodeStatus withRefuses(boolean refuses) {
        return refuses == this.refuses
                ? this
                : new NodeStatus(address, role, reachable, latency, version, problem, refuses);
    }

    @Override
    public String toString() {
        return Printable.text(
                "NodeStatus[address=" + address + ", role=" + role + ", reachable=" + reachable + ", latency=" + latency
                        + ", version=" + version + ", problem=" + problem + ", refuses=" + refuses + "]");
    }
}
