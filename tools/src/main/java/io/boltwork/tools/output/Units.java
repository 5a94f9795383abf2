// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import io.boltwork.ClientInfo;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Texts for cells of tables. */
public final class Units {
    private Units() {}

    /**
     * Returns a duration that is quick to read: {@code 0.35 s}, {@code 21.3 s}, {@code 4 min 5 s}, {@code 3 h 12 min}.
     */
    public static String time(Duration time) {
        long millis = time.toMillis();
        if (millis < 60_000) {
            return String.format(Locale.ROOT, millis < 10_000 ? "%.2f s" : "%.1f s", millis / 1e3);
        }
        if (time.toHours() < 1) {
            return time.toMinutes() + " min " + time.toSecondsPart() + " s";
        }
        if (time.toDays() < 1) {
            return time.toHours() + " h " + time.toMinutesPart() + " min";
        }
        return time.toDays() + " d " + time.toHoursPart() + " h";
    }

    /** Returns the name of a client: {@code checkout@web-3:4711}. */
    public static String client(Optional<ClientInfo> client, String request) {
        return client.map(known -> known.application() + "@" + known.host() + ":" + known.pid())
                .orElse("unknown (request " + request + ")");
    }
}
