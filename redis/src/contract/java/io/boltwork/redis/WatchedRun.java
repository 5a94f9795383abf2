// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The entry that clients of a quorum have written on a server about its present run. Stateless. */
final class WatchedRun {
    private static final Pattern RUN = Pattern.compile("run_id:(\\w+)");
    private static final Duration LONG = Duration.ofDays(2);

    private WatchedRun() {}

    /** Writes that clients have watched this run for longer than any lease, so that the server votes at once. */
    static void note(RedisServer server) {
        note(server, LONG);
    }

    /** Writes the time for which clients have watched this run. */
    static void note(RedisServer server, Duration watched) {
        server.command("HSET", "boltwork:uptime", "run", run(server), "watched", Long.toString(watched.toMillis()));
    }

    private static String run(RedisServer server) {
        Matcher run = RUN.matcher(
                Objects.requireNonNull(server.command("INFO", "server")).toString());
        if (!run.find()) {
            throw new IllegalStateException(server + " reports no run");
        }
        return run.group(1);
    }
}
