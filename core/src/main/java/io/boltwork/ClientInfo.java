// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Instant;
import java.util.List;

/**
 * A client as other clients see it: one {@link LockClient} in some JVM.
 *
 * @param id the id of the client
 * @param application the name of its application: {@link ClientOptions#withApplication}
 * @param host the machine on which it runs
 * @param pid its process there
 * @param since the time at which it was created, by its own clock
 * @param wireVersion the version of the protocol that it speaks
 * @param busiest the locks that it uses most, the busiest first: those with the most turns and waits in the last
 *     seconds. At most 20, and fewer if their names are long. About two seconds old while they are in use
 * @since 0.1.0
 */
public record ClientInfo(
        String id, String application, String host, long pid, Instant since, int wireVersion, List<BusyLock> busiest) {

    /**
     * Copies the locks.
     *
     * @param id the id of the client
     * @param application the name of its application
     * @param host the machine on which it runs
     * @param pid its process there
     * @param since the time at which it was created
     * @param wireVersion the version of the protocol that it speaks
     * @param busiest the locks that it uses most
     */
    public ClientInfo {
        busiest = List.copyOf(busiest);
    }

    /** Returns a text such as {@code checkout@web-3:4711 (client 0b6e…)}. */
    @Override
    public String toString() {
        return Printable.text(application + "@" + host + ":" + pid + " (client " + id + ")");
    }
}
