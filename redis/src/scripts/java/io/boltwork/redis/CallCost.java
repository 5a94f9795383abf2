// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cost of a script call for the server.
 *
 * @param commands the number of commands that it executed
 * @param micros the processor time that it needed. It executed nothing else meanwhile. The elapsed time would include
 *     that of other processes on a busy machine
 */
record CallCost(CommandStats commands, long micros) {
    /**
     * The limit for half of the calls. Most need a third of it; processor time doubles if both threads of a processor
     * core are busy. The number of commands, which tests limit as well, does not depend on the machine.
     */
    private static final long MOST_MICROS = 10_000;

    private static final Pattern PROCESSOR_TIME = Pattern.compile("used_cpu_(?:sys|user):(\\d+\\.\\d+)");

    static CallCost of(RedisServer redis, Runnable command) {
        CommandStats.reset(redis);
        long before = processorMicros(redis);
        command.run();
        long spent = processorMicros(redis) - before;
        return new CallCost(CommandStats.of(redis), spent);
    }

    private static long processorMicros(RedisServer redis) {
        Matcher times = PROCESSOR_TIME.matcher(
                requireNonNull(redis.command("INFO", "cpu")).toString());
        return times.results()
                .mapToLong(time -> Math.round(1e6 * Double.parseDouble(time.group(1))))
                .sum();
    }

    /** Checks that half of the calls took at most 10 ms. */
    static void areQuick(String what, List<Long> micros) {
        List<Long> sorted = micros.stream().sorted().toList();
        long median = sorted.get(sorted.size() / 2);
        System.out.printf(
                Locale.ROOT, "%s: a call takes %,d µs of processor time (median of %d)%n", what, median, sorted.size());
        assertThat(median)
                .as("the median of the calls in µs")
                .isLessThanOrEqualTo(Math.round(MOST_MICROS * Slack.factor()));
    }
}
