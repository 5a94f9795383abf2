package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Instant;

/**
 * A client as others see it: one {@link LockClient} somewhere.
 *
 * @param id the client's id
 * @param application what it calls itself: {@link ClientOptions#withApplication}
 * @param host the machine that it runs on
 * @param pid its process there
 * @param since when it was made, by its own clock
 * @param wireVersion the version of the protocol that it speaks
 */
public record ClientInfo(String id, String application, String host, long pid, Instant since, int wireVersion) {

    /** Such as {@code checkout@web-3:4711 (client 0b6e…)}. */
    @Override
    public String toString() {
        return Printable.text(application + "@" + host + ":" + pid + " (client " + id + ")");
    }
}
