package io.boltwork.testkit;

import io.boltwork.memory.MemoryServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The {@linkplain Fault faults} of processes and of Redis itself; those of connections are {@link FaultyLink}'s. Stateless.
 */
public final class Faults {
    private static final int FILLER_KEYS = 2_000;
    private static final int FILLER_BYTES = 16_384;

    private Faults() {}

    // ================================================================ processes

    /**
     * The server is killed (SIGKILL): connections break, new ones are refused. Healed, it is back and knows nothing.
     *
     * @param server which one
     * @return the fault
     */
    public static Fault kill(RedisServer server) {
        return Fault.lasting("the redis-server is killed", server::kill, server::restart);
    }

    /**
     * The server stands still (SIGSTOP): connections stay open, nothing is answered. Healed, it goes on with what it was sent.
     *
     * @param server which one
     * @return the fault
     */
    public static Fault freeze(RedisServer server) {
        return Fault.lasting("the redis-server is frozen", server::freeze, server::thaw);
    }

    /**
     * The server is killed and another one takes its place, which knows nothing.
     *
     * @param server which one
     * @return the fault
     */
    public static Fault restartEmpty(RedisServer server) {
        return Fault.momentary("the redis-server is restarted empty", server::restart);
    }

    /**
     * The server is killed just after it has saved its data, and started again with them.
     *
     * @param server which one
     * @return the fault
     */
    public static Fault restartWithData(RedisServer server) {
        return Fault.momentary("the redis-server is restarted with its data", server::restartWithData);
    }

    /**
     * A JVM stands still (SIGSTOP), as in a very long garbage collection. Healed, it goes on where it was.
     *
     * @param jvm which one
     * @return the fault
     */
    public static Fault freeze(ChildJvm jvm) {
        return Fault.lasting("JVM " + jvm.pid() + " is frozen", jvm::freeze, jvm::thaw);
    }

    /**
     * A JVM is killed (SIGKILL), for good.
     *
     * @param jvm which one
     * @return the fault
     */
    public static Fault kill(ChildJvm jvm) {
        return Fault.momentary("JVM " + jvm.pid() + " is killed", jvm::kill);
    }

    // ================================================================ Redis itself

    /**
     * The server takes commands and answers none of them for a while ({@code CLIENT PAUSE .. ALL}). It cannot be told to stop
     * that: healing waits for the end.
     *
     * @param server which one
     * @param time how long
     * @return the fault
     */
    public static Fault pause(RedisServer server, Duration time) {
        return Fault.lasting(
                "the redis-server pauses for " + time.toMillis() + " ms",
                () -> server.command("CLIENT", "PAUSE", Long.toString(time.toMillis()), "ALL"),
                () -> Await.within(time.plusSeconds(5), "the end of the pause", () -> answers(server)));
    }

    /**
     * The server forgets everything, and goes on ({@code FLUSHALL}).
     *
     * @param server which one
     * @return the fault
     */
    public static Fault flush(RedisServer server) {
        return Fault.momentary("the redis-server is flushed", () -> server.command("FLUSHALL"));
    }

    /**
     * The server forgets all scripts ({@code SCRIPT FLUSH}).
     *
     * @param server which one
     * @return the fault
     */
    public static Fault flushScripts(RedisServer server) {
        return Fault.momentary("the redis-server's scripts are flushed", () -> server.command("SCRIPT", "FLUSH"));
    }

    /**
     * The server's memory is full ({@code OOM}): {@code maxmemory} is less than what it uses. Not for servers that evict.
     *
     * @param server which one
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
     * The server has become a replica, of a master that cannot be reached ({@code READONLY}). It keeps its data.
     *
     * @param server which one
     * @return the fault
     */
    public static Fault readOnly(RedisServer server) {
        return Fault.lasting(
                "the redis-server is a replica",
                () -> server.command("REPLICAOF", server.host(), "1"),
                () -> server.command("REPLICAOF", "NO", "ONE"));
    }

    /**
     * The default user of the server lacks a right ({@code NOPERM}).
     *
     * @param server which one
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
     * The clock of a server in memory has jumped.
     *
     * @param server which one
     * @param step how far, negative for back
     * @return the fault
     */
    public static Fault clockJump(MemoryServer server, Duration step) {
        return Fault.lasting(
                "the server's clock has jumped by " + step,
                () -> server.advance(step),
                () -> server.advance(step.negated()));
    }

    /**
     * The server is busy with somebody's endless script ({@code BUSY}). Healed, that script is killed.
     *
     * @param server which one
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
     * The server was restarted and reads its data so slowly that it answers with {@code LOADING} until it is healed (Redis 7), or
     * for the time given. Needs a server that allows its hidden option {@code key-load-delay}, as all do.
     *
     * @param server which one
     * @param time how long loading takes at least, 10 s at most
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
                    configure(server, "rdbcompression", "no"); // every 2 MB of the file it answers
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
            // Redis 6.2 cannot be told while it is loading
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
                    try (Resp resp = new Resp(server.host(), server.port(), Duration.ofMinutes(5))) {
                        resp.call("EVAL", "while true do end", "0");
                    } catch (IOException | RedisErrorException e) {
                        // it was killed, as it should be
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
