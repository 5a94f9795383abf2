// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockClient;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the statements of docs/run/security.md about users of a shared Redis. Each user is created by the page's own
 * line.
 */
class SecurityPageTest {
    private static final Path PAGE = Path.of("..", "docs", "run", "security.md");
    private static final String LOCK = "stock:1001";
    private static final String KEY = "boltwork:{" + LOCK + "}";

    private static List<RedisServer> servers;

    @BeforeAll
    static void start() {
        servers = List.of(RedisServer.start(), RedisServer.startEmbedded());
    }

    @AfterAll
    static void stop() {
        servers.forEach(RedisServer::close);
    }

    /** Starts the servers, each with the users of the page. */
    static Stream<RedisServer> servers() throws IOException {
        Map<String, String> lines = lines();
        assertThat(lines).containsOnlyKeys("locking", "looking", "another", "shop", "billing");
        for (RedisServer server : servers) {
            server.command("FLUSHALL");
            lines.values().forEach(line -> server.command(line.split(" ")));
        }
        return servers.stream();
    }

    private static Map<String, String> lines() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("ACL SETUSER "))
                .collect(Collectors.toMap(line -> line.split(" ")[2], Function.identity()));
    }

    private static String uri(RedisServer server, String user) {
        try {
            String password = Stream.of(lines().get(user).split(" "))
                    .filter(word -> word.startsWith(">"))
                    .findFirst()
                    .orElseThrow()
                    .substring(1);
            return "redis://" + user + ":" + password + "@" + server.host() + ":" + server.port();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static LockClient client(RedisServer server, String user) {
        return client(server, user, "boltwork");
    }

    private static LockClient client(RedisServer server, String user, String prefix) {
        return LockClient.create(
                RedisBackend.connect(uri(server, user), RedisOptions.defaults().keyPrefix(prefix)));
    }

    private static void isRefused(ThrowingCallable call) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(call)
                .withMessageContaining("lacks a right")
                .matches(failure -> !failure.isRetryable());
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void theRightToLockIncludesForceRelease(RedisServer server) {
        try (LockClient one = client(server, "locking");
                LockClient other = client(server, "locking")) {
            Lease lease = one.lock(LOCK).acquire();
            assertThat(other.lock(LOCK).isLocked()).isTrue();
            assertThat(other.inspector().describe(LOCK).holders()).hasSize(1);
            assertThat(other.inspector().forceRelease(LOCK)).isTrue();
            assertThat(lease.whenLost()
                            .toCompletableFuture()
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join()
                            .reason())
                    .isEqualTo(LeaseLoss.Reason.TAKEN);
            isRefused(() -> other.inspector().list("*", 10)); // this user lacks +scan
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void theRightsToLockSufficeForConnectionsOfCallers(RedisServer server) {
        try (LockClient client =
                LockClient.create(RedisBackend.connect(uri(server, "locking") + "?clientName=callers"))) {
            for (int i = 0; i < 100; i++) {
                client.lock(LOCK).lock();
                client.lock(LOCK).unlock();
            }
            String normal = String.valueOf(server.command("CLIENT", "LIST", "TYPE", "normal"));
            assertThat(normal.lines().filter(line -> line.contains("name=callers ") && line.contains("user=locking ")))
                    .as(normal)
                    .hasSize(2);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aUserWithReadRightsChangesNothing(RedisServer server) {
        try (LockClient holder = client(server, "locking");
                LockClient looking = client(server, "looking")) {
            Lease lease = holder.lock(LOCK).acquire();
            Lease permit = holder.semaphore(LOCK, 2).acquire();
            LockInspector inspector = looking.inspector();
            assertThat(inspector.list("*", 10))
                    .extracting(LockSummary::kind, LockSummary::name)
                    .containsExactlyInAnyOrder(tuple(LockKind.LOCK, LOCK), tuple(LockKind.SEMAPHORE, LOCK));
            for (LockKind kind : List.of(LockKind.LOCK, LockKind.SEMAPHORE)) {
                assertThat(inspector.describe(kind, LOCK).holders())
                        .flatExtracting(held -> held.client().stream().toList())
                        .hasSize(1);
            }
            assertThat(inspector.clients()).hasSize(1);
            assertThat(looking.lock(LOCK).isLocked()).isTrue();
            assertThat(looking.health().nodes()).singleElement().matches(node -> node.reachable());
            isRefused(() -> inspector.forceRelease(LOCK));
            isRefused(() -> looking.lock("other").acquire());
            isRefused(() -> looking.lock("other").tryLock());
            as(server, "looking", redis -> {
                denied(() -> redis.publish("boltwork:grants:x", "m"));
                denied(() -> redis.del(KEY));
                denied(() -> redis.hset(KEY, "owner", "x"));
                denied(() -> redis.eval("return 1", ScriptOutputType.INTEGER));
            });
            assertThat(lease.verify()).isTrue();
            lease.release();
            permit.release();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void anotherApplicationDoesNothingToLocks(RedisServer server) {
        try (LockClient holder = client(server, "locking")) {
            Lease lease = holder.lock(LOCK).acquire();
            String id = clientOf(owner(server));
            server.command("ACL", "LOG", "RESET");
            as(server, "another", redis -> {
                redis.set("another:key", "1");
                redis.publish("another:news", "1");
                assertThat(redis.scan().getKeys()).as("names are not secret").contains(KEY);
                redis.eval("return redis.call('GET', KEYS[1])", ScriptOutputType.VALUE, "another:key");
                denied(() -> redis.publish("boltwork:grants:" + id, "m"));
                denied(() -> redis.publish("boltwork:told:" + id, "m"));
                denied(() -> redis.hgetall(KEY));
                denied(() -> redis.del(KEY));
                denied(() -> redis.hset(KEY, "owner", "x"));
                denied(() -> redis.eval("return redis.call('DEL', KEYS[1])", ScriptOutputType.INTEGER, KEY));
                denied(() -> redis.eval("return redis.call('DEL', '" + KEY + "')", ScriptOutputType.INTEGER));
                denied(() -> redis.eval(
                        "return redis.call('PUBLISH', 'boltwork:told:" + id + "', 'm')", ScriptOutputType.INTEGER));
                denied(redis::flushall);
                denied(redis::flushdb);
                denied(() -> redis.keys("*"));
                denied(() -> redis.configGet("*"));
                denied(() -> redis.rename("another:key", KEY));
            });
            assertThat((List<?>) server.command("ACL", "LOG"))
                    .as("the server has noticed")
                    .isNotEmpty();
            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> client(server, "another"));
            assertThat(lease.verify()).isTrue();
            lease.release();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void prefixesKeepApplicationsApart(RedisServer server) {
        try (LockClient shop = client(server, "shop", "shop");
                LockClient billing = client(server, "billing", "billing")) {
            Lease one = shop.lock(LOCK).acquire();
            Lease other = billing.lock(LOCK).acquire();
            assertThat(billing.inspector().forceRelease(LOCK)).isTrue();
            assertThat(other.whenLost()
                            .toCompletableFuture()
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join()
                            .reason())
                    .isEqualTo(LeaseLoss.Reason.TAKEN);
            assertThat(one.verify()).isTrue();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client(server, "billing", "shop"))
                    .withMessageContaining("lacks a right");
            as(server, "billing", redis -> {
                denied(() -> redis.publish("shop:grants:x", "m"));
                denied(() -> redis.del("shop:{" + LOCK + "}"));
            });
            one.release();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aForgedGrantCausesTwoHoldersForTheLengthOfAClaim(RedisServer server) {
        try (LockClient holder = client(server, "locking");
                LockClient victim = client(server, "locking")) {
            Lease lease = holder.lock(LOCK).acquire();
            CompletableFuture<Lease> wish = victim.lock(LOCK).acquireAsync().toCompletableFuture();
            String request = waiting(server);
            String forged = originOf(server) + " " + (lease.fencingToken() + 1_000_000) + " " + millis(server)
                    + " 3000 " + request + " " + KEY;
            as(server, "locking", redis -> redis.publish("boltwork:grants:" + clientOf(request), forged));
            Lease second = wish.orTimeout(30, TimeUnit.SECONDS).join();
            assertThat(lease.isValid()).as("both hold it").isTrue();
            long start = System.nanoTime();
            LeaseLoss loss = second.whenLost()
                    .toCompletableFuture()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Slack.of(Duration.ofMillis(LockBackend.CLAIM_MILLIS)));
            assertThat(lease.verify()).isTrue();
            lease.release();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aForgedForceReleaseMessageEndsAHold(RedisServer server) {
        try (LockClient holder = client(server, "locking")) {
            Lease lease = holder.lock(LOCK).acquire();
            String request = owner(server);
            String forged =
                    originOf(server) + " " + lease.fencingToken() + " " + millis(server) + " " + request + " " + KEY;
            as(server, "locking", redis -> redis.publish("boltwork:told:" + clientOf(request), forged));
            LeaseLoss loss = lease.whenLost()
                    .toCompletableFuture()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
        }
    }

    private interface Attempts {
        void with(RedisCommands<String, String> redis);
    }

    private static void as(RedisServer server, String user, Attempts attempts) {
        RedisClient client = RedisClient.create(uri(server, user));
        try (var connection = client.connect()) {
            attempts.with(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static void denied(ThrowingCallable call) {
        assertThatExceptionOfType(RedisCommandExecutionException.class)
                .isThrownBy(call)
                .matches(
                        refused -> refused.getMessage().contains("NOPERM")
                                || refused.getMessage().contains("ermission")
                                || refused.getMessage().contains("The user executing the script can't"),
                        "is denied");
    }

    /** Returns the request parts that any user with read access to the key can know. */
    private static String owner(RedisServer server) {
        return String.valueOf(server.command("HGET", KEY, "owner"));
    }

    /** Returns the request at the head of the queue, once there is one. */
    private static String waiting(RedisServer server) {
        String[] entry = new String[1];
        Await.until("a request waits", () -> {
            entry[0] = (String) server.command("HGET", KEY, "q" + server.command("HGET", KEY, "head"));
            return entry[0] != null;
        });
        return entry[0].split(" ", 4)[3];
    }

    private static String originOf(RedisServer server) {
        return GrantMessage.origin(ServerInfo.field(String.valueOf(server.command("INFO", "server")), "run_id"));
    }

    private static long millis(RedisServer server) {
        List<?> time = (List<?>) server.command("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000 + Long.parseLong((String) time.get(1)) / 1_000;
    }

    private static String clientOf(String request) {
        return request.substring(0, request.lastIndexOf(':'));
    }
}
