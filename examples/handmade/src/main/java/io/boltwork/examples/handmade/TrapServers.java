// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A Redis for all traps, and what a single trap opens: connections, other servers, JVMs, threads. {@link #reset} closes
 * these and removes the data.
 */
final class TrapServers implements AutoCloseable {
    /** The key of the lock in all traps. */
    static final String KEY = "lock";

    /** A lease that does not end by itself during a trap. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final String QUIET = "-Dslf4j.internal.verbosity=ERROR";

    private final RedisServer redis = RedisServer.start();
    private final RedisClient client = RedisClient.create();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable RedisCommands<String, String> observer;

    /** Starts the Redis. From now on this JVM logs nothing, because the traps cause what libraries would report. */
    TrapServers() {
        Logger.getLogger("").setLevel(Level.OFF);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    RedisServer redis() {
        return redis;
    }

    RedisClient lettuce() {
        return client;
    }

    /** Opens a connection of a client to the Redis of all traps. */
    RedisCommands<String, String> connect() {
        return connect(redis.uri());
    }

    RedisCommands<String, String> connect(String uri) {
        return open(uri).sync();
    }

    StatefulRedisConnection<String, String> open(String uri) {
        return closing(client.connect(RedisURI.create(uri)));
    }

    /** Opens connections as Spring Boot does. */
    StringRedisTemplate template() {
        LettuceConnectionFactory connections = connectionFactory(redis.host(), redis.port());
        closing(connections::destroy);
        return new StringRedisTemplate(connections);
    }

    static LettuceConnectionFactory connectionFactory(String host, int port) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    /** Creates a client of Boltwork for the Redis of all traps. */
    LockClient boltwork(String application) {
        return boltwork(application, redis.uri());
    }

    LockClient boltwork(String application, String uri) {
        return closing(LockClient.create(
                RedisBackend.connect(uri), io.boltwork.ClientOptions.defaults().withApplication(application)));
    }

    /** Starts a JVM that holds a lock until it is killed. See {@link HoldingJvm}. */
    ChildJvm jvm(String... arguments) {
        return closing(ChildJvm.start(HoldingJvm.class, List.of(QUIET), List.of(arguments)));
    }

    /** Returns the next line of a JVM. */
    static String line(ChildJvm jvm) throws InterruptedException {
        String line = jvm.nextLine(Duration.ofSeconds(20));
        if (line == null) {
            throw new IllegalStateException("JVM " + jvm.pid() + " has printed nothing");
        }
        return line;
    }

    /** Closes something at the end of the trap, the newest first. */
    <T extends AutoCloseable> T closing(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Runs the part of a client that waits. The thread is interrupted at the end of the trap. */
    <T> Future<T> inThread(String name, Callable<T> part) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(part.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(new CompletionException(e));
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        closing(() -> {
            thread.interrupt();
            thread.join();
        });
        return result;
    }

    /** Waits until a thread waits without a time limit, which no command to a server does. */
    static void awaitWaiting(String thread) {
        Await.until(
                thread + " waits",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(t -> t.getName().equals(thread) && t.getState() == Thread.State.WAITING));
    }

    /** Ends the lease of the lock at the server. The trap need not wait for it, and never comes too late. */
    void endLease() {
        endLease(observer());
    }

    static void endLease(RedisCommands<String, String> redis) {
        redis.pexpire(KEY, 1);
        Await.until("the lease has ended", () -> redis.exists(KEY) == 0);
    }

    /** Describes the key of the lock: its value, and whether it has an expiry. */
    String lock() {
        String owner = observer().get(KEY);
        return KEY + ": " + (owner == null ? "free" : owner + (observer().pttl(KEY) < 0 ? ", no expiry" : ""));
    }

    /** Waits until the Redis of all traps has noticed how many clients of Boltwork still listen for grants. */
    void awaitListeners(int clients) {
        Await.until(
                clients + " clients listen",
                () -> observer().pubsubChannels("boltwork:grants:*").size() == clients);
    }

    /** Returns whether a server has an owner in Boltwork's record of the lock. */
    static boolean isHeldByBoltwork(RedisServer server) {
        Object owner = server.command("HGET", "boltwork:{" + KEY + "}", "owner");
        return owner != null && !owner.equals("");
    }

    static String orDash(@Nullable String value) {
        return value == null ? "-" : value;
    }

    /** Returns a connection for looking at the data. */
    RedisCommands<String, String> observer() {
        if (observer == null) {
            observer = client.connect(RedisURI.create(redis.uri())).sync();
        }
        return observer;
    }

    /** Closes what a trap has opened, and removes its data. */
    void reset() throws Exception {
        Exception failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                failure = e;
            }
        }
        redis.command("FLUSHALL");
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        redis.close();
    }
}
