// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs one line when the application starts: Boltwork's version, the location of the locks, and the server's version.
 */
final class StartLog {
    private static final Log LOG = LogFactory.getLog(LockClient.class);

    private StartLog() {}

    static void log(LockClient client, LockBackend backend, String of) {
        if (LOG.isInfoEnabled()) {
            LOG.info(Printable.text("Boltwork" + version() + ": locks" + of + " at " + backend + state(client)));
        }
    }

    /** Returns the version of the jar; empty for classes in a directory. */
    private static String version() {
        String version = LockClient.class.getPackage().getImplementationVersion();
        return version == null ? "" : " " + version;
    }

    private static String state(LockClient client) {
        if (!client.isConnected()) {
            return ", which cannot be reached yet";
        }
        ClientHealth health = client.health();
        if (health.nodes().isEmpty()) {
            return "";
        }
        NodeStatus first = health.nodes().get(0);
        String version = first.version().isEmpty() ? "" : ", version " + first.version();
        return first.reachable() && first.refuses() ? version + "; " + first.problem() : version;
    }
}
