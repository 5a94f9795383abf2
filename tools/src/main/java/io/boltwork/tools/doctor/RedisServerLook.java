// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One server of Redis, as it describes itself. Not thread-safe. */
final class RedisServerLook {
    private static final int PINGS = 100;
    private static final long LONGEST = 1_000_000_000L;

    private static final int CLOCK_READINGS = 5;
    private static final Pattern REPLICA = Pattern.compile("^slave\\d+:ip=([^,]+),port=(\\d+)");

    private final String address;
    private final StatefulRedisConnection<String, String> connection;
    private final String info;

    RedisServerLook(String address, StatefulRedisConnection<String, String> connection) {
        this.address = address;
        this.connection = connection;
        this.info = connection.sync().info();
    }

    String address() {
        return address;
    }

    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    /** Returns a field of INFO, or an empty text. */
    String info(String name) {
        return field(info, name);
    }

    long number(String name) {
        String value = info(name);
        return value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
    }

    boolean isReplica() {
        return info("role").equals("slave");
    }

    boolean isSame(RedisServerLook other) {
        return info("run_id").equals(other.info("run_id"));
    }

    /** Returns the replicas that a master knows. They may become the master, whether the user has named them or not. */
    List<String> replicas() {
        return info.lines()
                .map(REPLICA::matcher)
                .filter(Matcher::find)
                .map(replica -> replica.group(1) + ":" + replica.group(2))
                .toList();
    }

    /** Returns a setting, or an empty text if the user may not read it. */
    String setting(String name) {
        try {
            Map<String, String> found = connection.sync().configGet(name);
            return found.getOrDefault(name, "");
        } catch (RedisException withoutRight) {
            return "";
        }
    }

    /** Returns the id of the process that answers now. */
    String runId() {
        return field(connection.sync().info("server"), "run_id");
    }

    private static String field(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    Timing pings() {
        long[] nanos = new long[PINGS];
        int done = 0;
        long end = System.nanoTime() + LONGEST;
        connection.sync().ping();
        while (done < PINGS && (done == 0 || System.nanoTime() < end)) {
            long start = System.nanoTime();
            connection.sync().ping();
            nanos[done++] = System.nanoTime() - start;
        }
        return Timing.of("PING", address, java.util.Arrays.copyOf(nanos, done));
    }

    /** Reads the clock of the server. Of several readings, the one with the shortest round trip counts. */
    ClockReading clock() {
        ClockReading best = null;
        for (int i = 0; i < CLOCK_READINGS; i++) {
            long sent = System.nanoTime();
            long sentMillis = System.currentTimeMillis();
            List<String> time = connection.sync().time();
            long took = System.nanoTime() - sent;
            double server = Long.parseLong(time.get(0)) + Long.parseLong(time.get(1)) / 1e6;
            double here = sentMillis / 1e3 + took / 2e9;
            ClockReading read = new ClockReading(sent + took / 2, server, server - here, took / 2e9 + 1e-3);
            if (best == null || read.error() < best.error()) {
                best = read;
            }
        }
        return java.util.Objects.requireNonNull(best);
    }
}
