// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Witness;

/** The uptime of a server, as clients have measured it. Not thread-safe. */
final class WitnessedUptime {
    private String run = "";
    private long millis;

    /** Keeps the longest time for the present run. */
    Reply.Witnessed witness(Witness command, ServerTime server) {
        if (!run.equals(server.run())) {
            run = server.run();
            millis = 0;
        }
        if (command.run().equals(run)) {
            millis = Math.max(millis, command.watchedMillis());
        }
        return new Reply.Witnessed(server, millis, 0, false);
    }

    void become(WitnessedUptime other) {
        run = other.run;
        millis = other.millis;
    }

    void clear() {
        run = "";
        millis = 0;
    }
}
