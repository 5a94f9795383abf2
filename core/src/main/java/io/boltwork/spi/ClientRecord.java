// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.List;

/**
 * The record of a client, shown to users who inspect a lock.
 *
 * @param id the id of the client, which is the part of its requests before the colon
 * @param application the name of its application
 * @param host the machine on which it runs
 * @param pid its process there
 * @param sinceMillis the time at which it was created, by its own clock, in milliseconds since the epoch
 * @param wireVersion the version of the protocol that it speaks
 * @param blocked its threads that may be in a cycle with threads of other clients; nearly always empty
 * @param busiest the locks that it uses most, the busiest first; empty for a client that does not report them
 * @since 0.1.0
 */
public record ClientRecord(
        String id,
        String application,
        String host,
        long pid,
        long sinceMillis,
        int wireVersion,
        List<BlockedThread> blocked,
        List<LockUsage> busiest) {

    /**
     * Copies the lists.
     *
     * @param id the id of the client
     * @param application the name of its application
     * @param host the machine on which it runs
     * @param pid its process there
     * @param sinceMillis the time at which it was created
     * @param wireVersion the version of the protocol that it speaks
     * @param blocked its threads that may be in a cycle with threads of other clients
     * @param busiest the locks that it uses most
     */
    public ClientRecord {
        blocked = List.copyOf(blocked);
        busiest = List.copyOf(busiest);
    }

    /**
     * Creates the record of a client without blocked threads and without locks.
     *
     * @param id the id of the client
     * @param application the name of its application
     * @param host the machine on which it runs
     * @param pid its process there
     * @param sinceMillis the time at which it was created
     * @param wireVersion the version of the protocol that it speaks
     */
    public ClientRecord(String id, String application, String host, long pid, long sinceMillis, int wireVersion) {
        this(id, application, host, pid, sinceMillis, wireVersion, List.of(), List.of());
    }

    /**
     * Returns this record with other blocked threads.
     *
     * @param threads the threads that may be in a cycle with threads of other clients
     * @return the record
     */
    public ClientRecord withBlocked(List<BlockedThread> threads) {
        return new ClientRecord(id, application, host, pid, sinceMillis, wireVersion, threads, busiest);
    }

    /**
     * Returns this record with other locks.
     *
     * @param locks the locks that the client uses most, the busiest first
     * @return the record
     */
    public ClientRecord withBusiest(List<LockUsage> locks) {
        return new ClientRecord(id, application, host, pid, sinceMillis, wireVersion, blocked, locks);
    }

    @Override
    public String toString() {
        return Printable.text("ClientRecord[id=" + id + ", application=" + application + ", host=" + host + ", pid="
                + pid + ", sinceMillis=" + sinceMillis + ", wireVersion=" + wireVersion + ", blocked=" + blocked
                + ", busiest=" + busiest + "]");
    }
}
