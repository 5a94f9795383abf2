package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Instant;

/**
 * A client as other clients see it: one {@link LockClient} in some JVM.
 *
 * @param id the id of the client
 * @param application the name of its application: {@link ClientOptions#withApplication}
 * @param host the machine on which it runs
 * @param pid its process there
 * @param since the time at which it was created, by its own clock
 * @param wireVersion the version of the protocol that it speaks
 */
public record ClientInfo(String id, String application, String host, long pid, Instant since, int wireVersion) {

    /** Returns a text such as {@code checkout@web-3:4711 (client 0b6e…)}. */
    @Override
    public String toString() {
        return Printable.text(application + "@" + host + ":" + pid + " (client " + id + ")");
    }
}
