// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisErrorException;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.RespConnection;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The {@linkplain Fault faults} of processes and of Redis itself. For faults of connections, see {@link FaultyLink}.
 * Stateless.
 *
 * @since 0.1.0
 */
public final class Faults {
    private static final int FILLER_KEYS = 2_000;
    private static final int FILLER_BYTES = 16_384;

    private Faults() {}

    // ================================================================ processes

    /**
     * Kills a server (SIGKILL): its connections break, and new ones are refused. Healing restarts it without data.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault kill(RedisServer server) {
        return Fault.lasting("the redis-server is killed", server::kill, server::restart);
    }

    /**
     * Suspends a server (SIGSTOP): its connections stay open, but nothing is answered. After healing, it executes the
     * commands that it was sent.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault freeze(RedisServer server) {
        return Fault.lasting("the redis-server is frozen", server::freeze, server::thaw);
    }

    /**
     * Kills a server and starts another one without data in its place.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault restartEmpty(RedisServer server) {
        return Fault.momentary("the redis-server is restarted empty", server::restart);
    }

    /**
     * Kills a server just after it has saved its data, and restarts it with the data.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault restartWithData(RedisServer server) {
        return Fault.momentary("the redis-server is restarted with its data", server::restartWithData);
    }

    /**
     * Suspends a JVM (SIGSTOP), as in a very long garbage collection. Healing resumes it.
     *
     * @param jvm the JVM
     * @return the fault
     */
    public static Fault freeze(ChildJvm jvm) {
        return Fault.lasting("JVM " + jvm.pid() + " is frozen", jvm::freeze, jvm::thaw);
    }

    /**
     * Kills a JVM (SIGKILL). Healing does not restart it.
     *
     * @param jvm the JVM
     * @return the fault
     */
    public static Fault kill(ChildJvm jvm) {
        return Fault.momentary("JVM " + jvm.pid() + " is killed", jvm::kill);
    }

    // ================================================================ Redis itself

    /**
     * Makes a server accept commands without answering them for a while ({@code CLIENT PAUSE .. ALL}). The pause cannot
     * be cut short: healing waits for its end.
     *
     * @param server the server
     * @param time the length of the pause
     * @return the fault
     */
    public static Fault pause(RedisServer server, Duration time) {
        return Fault.lasting(
                "the redis-server pauses for " + time.toMillis() + " ms",
                () -> server.command("CLIENT", "PAUSE", Long.toString(time.toMillis()), "ALL"),
                () -> Await.within(time.plusSeconds(5), "the end of the pause", () -> answers(server)));
    }

    /**
     * Deletes all data of a server, which keeps running ({@code FLUSHALL}).
     *
     * @param server the server
     * @return the fault
     */
    public static Fault flush(RedisServer server) {
        return Fault.momentary("the redis-server is flushed", () -> server.command("FLUSHALL"));
    }

    /**
     * Deletes all cached scripts of a server ({@code SCRIPT FLUSH}).
     *
     * @param server the server
     * @return the fault
     */
    public static Fault flushScripts(RedisServer server) {
        return Fault.momentary("the redis-server's scripts are flushed", () -> server.command("SCRIPT", "FLUSH"));
    }

    /**
     * Makes a server run out of memory ({@code OOM}) by setting {@code maxmemory} below its usage. Not for servers that
     * evict keys.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault memoryFull(RedisServer server) {
        String[] before = {"0"};
        return Fault.lasting(
                "the redis-server's memory is full",
                () -> {
                    before[0] = config(server, "maxmemory");
                    configure(server, "maxmemory", "1");
                },
                () -> configure(server, "maxmemory", before[0]));
    }

    /**
     * Makes a server a replica of a master that cannot be reached ({@code READONLY}). It keeps its data.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault readOnly(RedisServer server) {
        return Fault.lasting(
                "the redis-server is a replica",
                () -> server.command("REPLICAOF", server.host(), "1"),
                () -> server.command("REPLICAOF", "NO", "ONE"));
    }

    /**
     * Removes a right from the default user of a server ({@code NOPERM}).
     *
     * @param server the server
     * @param right a right that this user has, as in {@code ACL SETUSER} without its sign, such as {@code evalsha}
     * @return the fault
     */
    public static Fault missingRight(RedisServer server, String right) {
        return Fault.lasting(
                "the redis-server does not allow " + right,
                () -> server.command("ACL", "SETUSER", "default", "-" + right),
                () -> server.command("ACL", "SETUSER", "default", "+" + right));
    }

    /**
     * Makes the clock of a server in memory jump.
     *
     * @param server the server
     * @param step how far; negative for backwards
     * @return the fault
     */
    public static Fault clockJump(MemoryServer server, Duration step) {
        return Fault.lasting(
                "the server's clock has jumped by " + step,
                () -> server.advance(step),
                () -> server.advance(step.negated()));
    }

    /**
     * Keeps a server busy with an endless script ({@code BUSY}). Healing kills the script.
     *
     * @param server the server
     * @return the fault
     */
    public static Fault busy(RedisServer server) {
        String[] before = {"5000"};
        return Fault.lasting(
                "the redis-server is busy with a script",
                () -> {
                    before[0] = config(server, "lua-time-limit");
                    configure(server, "lua-time-limit", "10");
                    startEndlessScript(server);
                    Await.until("the server is busy", () -> refuses(server, "BUSY"));
                },
                () -> {
                    server.command("SCRIPT", "KILL");
                    Await.until("the server is not busy any more", () -> answers(server));
                    configure(server, "lua-time-limit", before[0]);
                });
    }

    /**
     * Restarts a server and makes it load its data so slowly that it answers with {@code LOADING} until it is healed
     * (Redis 7), or for the given time. Requires a server that allows the hidden option {@code key-load-delay}, as all
     * do.
     *
     * @param server the server
     * @param time the minimum time that loading takes, at most 10 s
     * @return the fault
     */
    public static Fault loading(RedisServer server, Duration time) {
        String filler = "boltwork-filler:";
        String fill = "for i = 1, " + FILLER_KEYS + " do redis.call('SET', '" + filler + "' .. i, '"
                + "x".repeat(FILLER_BYTES) + "') end";
        return Fault.lasting(
                "the redis-server is loading its data",
                () -> {
                    server.command("EVAL", fill, "0");
                    String delay = Long.toString(time.toNanos() / 1_000 / FILLER_KEYS);
                    configure(server, "rdbcompression", "no"); // while loading, it answers once per 2 MB of the file
                    server.restartWithData("--key-load-delay", delay);
                },
                () -> {
                    hurry(server);
                    Await.within(time.plusSeconds(10), "the data are loaded", () -> answers(server));
                    configure(server, "key-load-delay", "0");
                    server.command(
                            "EVAL",
                            "for i = 1, " + FILLER_KEYS + " do redis.call('DEL', '" + filler + "' .. i) end",
                            "0");
                });
    }

    private static void hurry(RedisServer server) {
        try {
            configure(server, "key-load-delay", "0");
        } catch (RedisErrorException e) {
            // Redis 6.2 cannot be configured while it is loading
        }
    }

    private static String config(RedisServer server, String option) {
        List<?> answer = (List<?>) Objects.requireNonNull(server.command("CONFIG", "GET", option));
        return String.valueOf(answer.get(1));
    }

    private static void configure(RedisServer server, String option, String value) {
        server.command("CONFIG", "SET", option, value);
    }

    private static void startEndlessScript(RedisServer server) {
        Thread thread = new Thread(
                () -> {
                    try (RespConnection resp =
                            new RespConnection(server.host(), server.port(), Duration.ofMinutes(5))) {
                        resp.call("EVAL", "while true do end", "0");
                    } catch (IOException | RedisErrorException e) {
                        // it was killed, as intended
                    }
                },
                "endless-script");
        thread.setDaemon(true);
        thread.start();
    }

    private static boolean answers(RedisServer server) {
        try {
            return "PONG".equals(server.command("PING"));
        } catch (UncheckedIOException | RedisErrorException e) {
            return false;
        }
    }

    private static boolean refuses(RedisServer server, String code) {
        try {
            server.command("PING");
            return false;
        } catch (RedisErrorException e) {
            return String.valueOf(e.getMessage()).startsWith(code);
        }
    }
}
