// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.testkit.wait.Await;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RedisServerTest {

    @Test
    void aServerAnswersCommands() {
        try (RedisServer redis = RedisServer.start()) {
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(redis.command("SET", "k", "")).isEqualTo("OK");
            assertThat(redis.command("GET", "k")).isEqualTo("");
            assertThat(redis.command("GET", "none")).isNull();
            assertThat(redis.command("RPUSH", "l", "ä", "b")).isEqualTo(2L);
            assertThat(redis.command("LRANGE", "l", "0", "-1")).isEqualTo(List.of("ä", "b"));
            assertThatThrownBy(() -> redis.command("INCR", "l"))
                    .isInstanceOf(RedisErrorException.class)
                    .hasMessageStartingWith("WRONGTYPE");
        }
    }

    /** A sentinel ends all connections of a server when it makes it a master or a replica. */
    @Test
    void aCommandIsRepeatedIfTheServerEndsItsConnections() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(() -> {
                int connections = 0;
                while (!done.get()) {
                    connections += ((Long) redis.command("CLIENT", "KILL", "TYPE", "normal")).intValue();
                }
                return connections;
            });
            try {
                for (int i = 0; i < 1_000; i++) {
                    assertThat(redis.command("GET", "k")).isNull();
                }
            } finally {
                done.set(true);
            }
            assertThat(ended.get(10, TimeUnit.SECONDS)).isPositive();
        }
    }

    @Test
    void theEmbeddedServerIsRedis62() {
        try (RedisServer redis = RedisServer.startEmbedded()) {
            assertThat(redis.version()).startsWith("6.2.");
            assertThat(String.valueOf(redis.command("INFO", "server"))).contains("redis_version:" + redis.version());
        }
    }

    @Test
    void argumentsArePassedOn() {
        try (RedisServer redis = RedisServer.start("--requirepass", "secret", "--maxmemory", "10mb")) {
            assertThat(redis.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "10485760"));
        }
    }

    @Test
    void aWrongArgumentIsReportedWithTheServersWords() {
        assertThatThrownBy(() -> RedisServer.start("--no-such-option", "1"))
                .isInstanceOf(UncheckedIOException.class)
                .cause()
                .hasMessageContaining("no-such-option");
    }

    @Test
    void aRestartedServerIsEmptyAndHasTheSamePort() {
        try (RedisServer redis = RedisServer.start()) {
            int port = redis.port();
            redis.command("SET", "k", "v");
            redis.restart();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.command("GET", "k")).isNull();
            redis.kill();
            assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);
            redis.restart();
            redis.stop();
            redis.restart();
            assertThat(redis.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aFrozenServerAcceptsConnectionsAndIsSilent() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis.freeze();
            try (Socket socket = new Socket(redis.host(), redis.port())) {
                socket.setSoTimeout(200);
                socket.getOutputStream().write("PING\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(java.net.SocketTimeoutException.class);
            }
            redis.thaw();
            assertThat(redis.command("PING")).isEqualTo("PONG");
            redis.freeze();
        }
    }

    @Test
    void manyServersRunSideBySide() {
        List<RedisServer> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                servers.add(RedisServer.start("--cluster-enabled", "yes"));
            }
            assertThat(servers.stream().map(RedisServer::port).distinct()).hasSize(8);
            assertThat(servers)
                    .allSatisfy(server -> assertThat(String.valueOf(server.command("CLUSTER", "INFO")))
                            .contains("cluster_known_nodes:1"));
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    /** A JVM that starts a server, prints its port, and waits to be killed. */
    static final class Starter {
        public static void main(String[] args) throws Exception {
            RedisServer redis = RedisServer.startEmbedded();
            Object directory = redis.command("CONFIG", "GET", "dir");
            System.out.println(redis.port() + " " + ((List<?>) java.util.Objects.requireNonNull(directory)).get(1));
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void aServerDiesWithItsJvmAndLeavesNothing() throws Exception {
        try (ChildJvm jvm = ChildJvm.start(Starter.class)) {
            String line = jvm.nextLine(Duration.ofSeconds(30));
            assertThat(line).isNotNull();
            int port = Integer.parseInt(line.split(" ")[0]);
            Path directory = Path.of(line.split(" ")[1]);
            assertThat(directory).exists();
            jvm.kill();
            Await.until("the server on " + port + " is gone", () -> !accepts(port));
            Await.until(directory + " is gone", () -> !Files.exists(directory));
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
