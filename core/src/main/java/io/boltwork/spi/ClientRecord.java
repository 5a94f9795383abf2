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
 * @param blocked its threads that may be in a circle with threads of other clients; nearly always empty
 */
public record ClientRecord(
        String id,
        String application,
        String host,
        long pid,
        long sinceMillis,
        int wireVersion,
        List<BlockedThread> blocked) {

    /**
     * Copies the threads.
     *
     * @param id the id of the client
     * @param application the name of its application
     * @param host the machine on which it runs
     * @param pid its process there
     * @param sinceMillis the time at which it was created
     * @param wireVersion the version of the protocol that it speaks
     * @param blocked its threads that may be in a circle with threads of other clients
     */
    public ClientRecord {
        blocked = List.copyOf(blocked);
    }

    /**
     * Creates the record of a client without blocked threads.
     *
     * @param id the id of the client
     * @param application the name of its application
     * @param host the machine on which it runs
     * @param pid its process there
     * @param sinceMillis the time at which it was created
     * @param wireVersion the version of the protocol that it speaks
     */
    public ClientRecord(String id, String application, String host, long pid, long sinceMillis, int wireVersion) {
        this(id, application, host, pid, sinceMillis, wireVersion, List.of());
    }

    /**
     * Returns this record with other blocked threads.
     *
     * @param threads the threads that may be in a circle with threads of other clients
     * @return the record
     */
    public ClientRecord withBlocked(List<BlockedThread> threads) {
        return new ClientRecord(id, application, host, pid, sinceMillis, wireVersion, threads);
    }

    @Override
    public String toString() {
        return Printable.text("ClientRecord[id=" + id + ", application=" + application + ", host=" + host + ", pid="
                + pid + ", sinceMillis=" + sinceMillis + ", wireVersion=" + wireVersion + ", blocked=" + blocked + "]");
    }
}
