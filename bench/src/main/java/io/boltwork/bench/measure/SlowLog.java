// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Reads from SLOWLOG how long scripts take at a server. Stateless. */
public final class SlowLog {
    private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "fcall");

    /** Longer than a command takes that is not a script, and shorter than a script for many holds. */
    private static final int LEAST_MICROS = 100;

    private static final int MICROS = 2;
    private static final int COMMAND = 3;

    private SlowLog() {}

    /**
     * Lets the server record the slower calls from now on. Recording them all would slow down the scripts that make
     * them.
     */
    public static void start(RedisServer redis) {
        redis.command("CONFIG", "SET", "slowlog-max-len", "1000000");
        redis.command("CONFIG", "SET", "slowlog-log-slower-than", String.valueOf(LEAST_MICROS));
        redis.command("SLOWLOG", "RESET");
    }

    /** Returns how long the recorded calls of scripts have taken, in microseconds, the fastest first. */
    public static long[] scriptMicros(RedisServer redis) {
        List<?> calls = (List<?>) Objects.requireNonNull(redis.command("SLOWLOG", "GET", "-1"));
        return calls.stream()
                .map(call -> (List<?>) call)
                .filter(SlowLog::isScript)
                .mapToLong(call -> (Long) call.get(MICROS))
                .sorted()
                .toArray();
    }

    private static boolean isScript(List<?> call) {
        String command = ((List<?>) call.get(COMMAND)).get(0).toString();
        return SCRIPTS.contains(command.toLowerCase(Locale.ROOT));
    }
}
