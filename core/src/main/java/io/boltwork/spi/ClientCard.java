package io.boltwork.spi;

/**
 * Who a client is, for people who look at a lock.
 *
 * @param id the client's id, the part of its requests before the colon
 * @param application what the application calls itself
 * @param host the machine it runs on
 * @param pid its process there
 * @param sinceMillis when the client was made, by its own clock, in milliseconds since the epoch
 * @param wireVersion the version of the protocol that it speaks
 */
public record ClientCard(String id, String application, String host, long pid, long sinceMillis, int wireVersion) {
    @Override
    public String toString() {
        return Printable.text("ClientCard[id=" + id + ", application=" + application + ", host=" + host + ", pid=" + pid
                + ", sinceMillis=" + sinceMillis + ", wireVersion=" + wireVersion + "]");
    }
}
