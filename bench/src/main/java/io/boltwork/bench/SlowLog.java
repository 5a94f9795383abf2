// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.testkit.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Reads from SLOWLOG how long scripts take at a server. Stateless. */
final class SlowLog {
    private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "fcall");
    private static final int MICROS = 2;
    private static final int COMMAND = 3;

    private SlowLog() {}

    /** Lets the server record all calls from now on. */
    static void start(RedisServer redis) {
        redis.command("CONFIG", "SET", "slowlog-max-len", "1000000");
        redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
        redis.command("SLOWLOG", "RESET");
    }

    /** Returns the longest time of a call of a script, in microseconds; NaN if there was none. */
    static double slowestScriptMicros(RedisServer redis) {
        List<?> calls = (List<?>) Objects.requireNonNull(redis.command("SLOWLOG", "GET", "-1"));
        return calls.stream()
                .map(call -> (List<?>) call)
                .filter(SlowLog::isScript)
                .mapToDouble(call -> (Long) call.get(MICROS))
                .max()
                .orElse(Double.NaN);
    }

    private static boolean isScript(List<?> call) {
        String command = ((List<?>) call.get(COMMAND)).get(0).toString();
        return SCRIPTS.contains(command.toLowerCase(Locale.ROOT));
    }
}
