package io.boltwork.spi;

/**
 * The record of a client, shown to users who inspect a lock.
 *
 * @param id the id of the client, which is the part of its requests before the colon
 * @param application the name of its application
 * @param host the machine on which it runs
 * @param pid its process there
 * @param sinceMillis the time at which it was created, by its own clock, in milliseconds since the epoch
 * @param wireVersion the version of the protocol that it speaks
 */
public record ClientRecord(String id, String application, String host, long pid, long sinceMillis, int wireVersion) {
    @Override
    public String toString() {
        return Printable.text("ClientRecord[id=" + id + ", application=" + application + ", host=" + host + ", pid="
                + pid + ", sinceMillis=" + sinceMillis + ", wireVersion=" + wireVersion + "]");
    }
}
