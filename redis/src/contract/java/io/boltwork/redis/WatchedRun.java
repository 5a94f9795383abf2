// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What clients of a quorum have noted at a server about its present run. Stateless. */
final class WatchedRun {
    private static final Pattern RUN = Pattern.compile("run_id:(\\w+)");
    private static final Duration LONG = Duration.ofDays(2);

    private WatchedRun() {}

    /** Notes that clients have watched this run for longer than any lease, so that the server votes at once. */
    static void note(RedisServer server) {
        note(server, LONG);
    }

    /** Notes for how long clients have watched this run. */
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
