// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands that a server has executed since the last reset: those of clients and those inside scripts. */
record CommandStats(Map<String, Long> calls) {
    private static final Pattern LINE = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

    /** Commands of connections and tests, which do not depend on locks. */
    private static final Set<String> NOT_ABOUT_LOCKS =
            Set.of("info", "ping", "config", "hello", "client", "subscribe", "ssubscribe", "script", "cluster");

    static void reset(List<RedisServer> servers) {
        servers.forEach(server -> server.command("CONFIG", "RESETSTAT"));
    }

    static void reset(RedisServer server) {
        reset(List.of(server));
    }

    static CommandStats of(RedisServer server) {
        return of(List.of(server));
    }

    /** Returns the sum over all servers. */
    static CommandStats of(List<RedisServer> servers) {
        Map<String, Long> calls = new TreeMap<>();
        for (RedisServer server : servers) {
            Matcher line = LINE.matcher(Objects.requireNonNull(server.command("INFO", "commandstats"))
                    .toString());
            while (line.find()) {
                String command = line.group(1).replaceFirst("\\|.*", "");
                if (!NOT_ABOUT_LOCKS.contains(command)) {
                    calls.merge(command, Long.valueOf(line.group(2)), Long::sum);
                }
            }
        }
        return new CommandStats(calls);
    }

    /** Returns the number of commands of clients. */
    long requests() {
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    long of(String command) {
        return calls.getOrDefault(command, 0L);
    }

    /** Returns the number of messages published. */
    long published() {
        return of("publish") + of("spublish");
    }

    /** Returns the number of all commands executed, inside and outside scripts. */
    long total() {
        return calls.values().stream().mapToLong(Long::longValue).sum();
    }
}
