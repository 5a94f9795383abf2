// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.netty.handler.ssl.util.FingerprintTrustManagerFactory;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a backend that uses an application's own Lettuce client or resources, and leaves them to the application. */
class BringYourOwnTest {
    private static final String SECRET = "s3cr3t-p4ss";
    private static final Command.Acquire ACQUIRE = new Command.Acquire("l", "a:1", true, Client.LEASE, 0, Client.NEVER);

    private final Set<String> measured = ConcurrentHashMap.newKeySet();

    /** Plain threads instead of Netty's, as an application may configure them. */
    private final ClientResources resources = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .threadFactoryProvider(pool -> {
                AtomicInteger number = new AtomicInteger();
                return task -> {
                    Thread thread = new Thread(task, "mine-" + pool + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                };
            })
            .commandLatencyRecorder((CommandLatencyRecorder)
                    (local, remote, command, first, completion) -> measured.add(String.valueOf(command)))
            .build();

    private final RedisClient lettuce = RedisClient.create(resources);

    @AfterEach
    void shutdown() throws Exception {
        lettuce.shutdown();
        resources.shutdown(0, 2, TimeUnit.SECONDS).get();
        Await.until("no thread is left", () -> threads("mine-").isEmpty());
    }

    private static Set<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(prefix))
                .collect(Collectors.toSet());
    }

    private static RedisURI uri(RedisServer redis) {
        return RedisURI.create(redis.uri());
    }

    private static List<String> clients(RedisServer redis) {
        return String.valueOf(redis.command("CLIENT", "LIST")).lines().toList();
    }

    @Test
    void resourcesAreUsedAndNotShutDown() {
        Set<Thread> before = threads("lettuce");
        RedisOptions options = RedisOptions.defaults().withClientResources(resources);
        try (RedisServer redis = RedisServer.start()) {
            for (int i = 0; i < 2; i++) {
                try (Client client = Client.open("a", RedisBackend.connect(redis.uri(), options))) {
                    client.acquire("l", "a:1");
                    assertThat(threads("lettuce")).isSubsetOf(before);
                }
                assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
                assertThat(clients(redis)).hasSize(1);
            }
            assertThat(measured).contains("EVALSHA");
            try (StatefulRedisConnection<String, String> mine = lettuce.connect(uri(redis))) {
                assertThat(mine.sync().ping()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void repliesAndGrantsComeOnTheApplicationsThreads() {
        try (RedisServer redis = RedisServer.start();
                RedisBackend backend = RedisBackend.connect(lettuce, uri(redis))) {
            CompletableFuture<String> granted = new CompletableFuture<>();
            CompletableFuture<String> replied = new CompletableFuture<>();
            backend.open("a", new BackendListener() {
                @Override
                public void granted(Grant grant) {
                    granted.complete(Thread.currentThread().getName());
                }

                @Override
                public void connected(ServerTime server) {}

                @Override
                public void disconnected(Throwable cause) {}
            });
            backend.send(ACQUIRE, reply -> {
                Reply.Acquired first = (Reply.Acquired) reply;
                replied.complete(Thread.currentThread().getName());
                backend.send(new Command.Acquire("l", "a:2", true, Client.LEASE, 0, Client.NEVER), queued -> {});
                backend.send(new Command.Release("l", "a:1", first.token(), first.token(), 0, null), released -> {});
            });
            assertThat(Client.await(replied)).startsWith("mine-").contains("EventLoop");
            assertThat(Client.await(granted)).startsWith("mine-").contains("EventLoop");
        }
    }

    @Test
    void theApplicationsClientIsLeftAsItWas() {
        ClientOptions options = ClientOptions.builder().requestQueueSize(7).build();
        lettuce.setOptions(options);
        try (RedisServer redis = RedisServer.start();
                StatefulRedisConnection<String, String> mine = lettuce.connect(uri(redis))) {
            Set<Thread> before = threads("");
            Set<Thread> beforeMine = threads("mine-");
            try (Client client = Client.open("a", RedisBackend.connect(lettuce, uri(redis)))) {
                client.acquire("l", "a:1");
                assertThat(clients(redis)).hasSize(4);
                assertThat(threads("lettuce")).isSubsetOf(before);
            }
            assertThat(clients(redis)).hasSize(2);
            assertThat(threads("mine-")).containsAll(beforeMine);
            assertThat(lettuce.getOptions()).isSameAs(options);
            assertThat(mine.isOpen()).isTrue();
            assertThat(mine.sync().ping()).isEqualTo("PONG");
            try (StatefulRedisConnection<String, String> another = lettuce.connect(uri(redis))) {
                assertThat(another.sync().ping()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void applicationAndBackendReconnectSeparately() {
        try (RedisServer redis = RedisServer.start();
                StatefulRedisConnection<String, String> mine = lettuce.connect(uri(redis));
                Client client = Client.open("a", RedisBackend.connect(lettuce, uri(redis)))) {
            assertThat(lettuce.getOptions().isAutoReconnect()).isTrue();
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertThat(client.nextEvent()).isInstanceOf(BackendException.class);
            client.awaitConnected();
            assertThat(client.acquire("l", "a:1").verdict()).isEqualTo(Verdict.GRANTED);
            Await.until("the application's connection is back", mine::isOpen);
            assertThat(mine.sync().ping()).isEqualTo("PONG");
            assertThat(clients(redis)).hasSize(4);
        }
    }

    @Test
    void manyWaitersDoNotFillTheRequestQueue() {
        lettuce.setOptions(ClientOptions.builder().requestQueueSize(1).build());
        try (RedisServer redis = RedisServer.start();
                Client client = Client.open("a", RedisBackend.connect(lettuce, uri(redis)))) {
            redis.freeze();
            List<CompletableFuture<Reply>> replies = IntStream.range(0, 50)
                    .mapToObj(i -> client.send(new Command.Acquire("l", "a:" + i, true, Client.LEASE, 0, Client.NEVER)))
                    .toList();
            redis.thaw();
            replies.forEach(reply -> assertThat(Client.await(reply)).isInstanceOf(Reply.Acquired.class));
        }
    }

    @Test
    void theBackendWorksWithResp2() {
        lettuce.setOptions(
                ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
        try (RedisServer redis = RedisServer.start();
                Client client = Client.open("a", RedisBackend.connect(lettuce, uri(redis)))) {
            assertThat(clients(redis)).hasSize(3).noneMatch(line -> line.contains("resp=3"));
            long token = client.acquire("l", "a:1").token();
            assertThat(client.acquire("l", "a:2").verdict()).isEqualTo(Verdict.QUEUED);
            client.renew("l", "a:1", token, 90_000);
            client.restore("l", "a:3", token);
            assertThat(client.inspect("l").owner()).isEqualTo("a:1");
            Await.until(
                    "the connection for grants was pinged",
                    () -> clients(redis).stream()
                            .anyMatch(line -> line.contains("sub=2") && line.contains("cmd=ping")));
            client.release("l", "a:1", token);
            assertThat(client.nextGrant().request()).isEqualTo("a:2");
            assertThat(client.withdraw("l", "a:2", 0).known()).isTrue();
            assertThat(client.events).as("the connection was never lost").isEmpty();
        }
    }

    @Test
    void aLettuceUriIsEnoughToConnect() {
        try (RedisServer redis = RedisServer.start()) {
            RedisURI uri = uri(redis);
            uri.setDatabase(3);
            uri.setClientName("shop");
            uri.setTimeout(Duration.ofMillis(700));
            try (Client client = Client.open("a", RedisBackend.connect(uri))) {
                uri.setDatabase(4);
                client.acquire("l", "a:1");
                assertThat(client.backend).hasToString(redis.uri() + "/3");
                assertThat(client.backend.commandTimeout()).isEqualTo(Duration.ofMillis(700));
                assertThat(clients(redis))
                        .filteredOn(line -> line.contains(" name=shop "))
                        .hasSize(2);
                assertThat(String.valueOf(redis.command("INFO", "keyspace"))).contains("db3:keys=1");
            }
        }
    }

    @Test
    void aWrongPasswordIsReportedButNotPrinted() {
        try (RedisServer redis = RedisServer.start("--requirepass", "right")) {
            for (String user : List.of("", "someone:")) {
                RedisURI uri = RedisURI.create("redis://" + user + SECRET + "@127.0.0.1:" + redis.port());
                for (int i = 0; i < 5; i++) {
                    assertThatExceptionOfType(BackendException.class)
                            .isThrownBy(() -> RedisBackend.connect(lettuce, uri))
                            .withMessageContaining("user or password")
                            .satisfies(e -> assertThat(e.isRetryable()).isFalse())
                            .satisfies(e -> assertThat(trace(e)).doesNotContain(SECRET));
                }
            }
        }
    }

    @Test
    void aProviderOfCredentialsIsAskedBeforeEachConnection() {
        AtomicReference<String> password = new AtomicReference<>("first");
        try (RedisServer redis = RedisServer.start()) {
            redis.command("ACL", "SETUSER", "locks", "on", ">first", "~*", "&*", "+@all");
            RedisURI uri = uri(redis);
            uri.setCredentialsProvider(
                    RedisCredentialsProvider.from(() -> RedisCredentials.just("locks", password.get())));
            try (Client client = Client.open("a", RedisBackend.connect(lettuce, uri))) {
                assertThat(client.backend).hasToString(redis.uri() + "/0");
                redis.command("ACL", "SETUSER", "locks", "resetpass", ">second");
                password.set("second");
                redis.command("CLIENT", "KILL", "USER", "locks");
                client.awaitConnected();
                client.acquire("l", "a:1");
            }
            RedisURI failing = uri(redis);
            failing.setCredentialsProvider(() -> {
                throw new IllegalStateException("the vault is closed");
            });
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisBackend.connect(lettuce, failing))
                    .withMessageContaining("the vault is closed");
        }
    }

    @Test
    void theApplicationsTrustSettingsApply(@TempDir Path directory) throws Exception {
        KeyStore store = selfSigned(directory);
        String fingerprint = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256")
                        .digest(store.getCertificate("server").getEncoded()));
        try (RedisServer redis = RedisServer.start();
                FaultyLink tls = FaultyLink.to(redis.port(), listeners(store))) {
            RedisURI uri = RedisURI.create("rediss://127.0.0.1:" + tls.port());
            lettuce.setOptions(trusting(fingerprint));
            try (Client client = Client.open("a", RedisBackend.connect(lettuce, uri))) {
                client.acquire("l", "a:1");
            }
            lettuce.setOptions(trusting("00".repeat(32)));
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisBackend.connect(lettuce, uri))
                    .withMessageContaining("its certificate is not trusted")
                    .satisfies(e -> assertThat(e.isRetryable()).isFalse());
        }
    }

    private static ClientOptions trusting(String fingerprint) {
        return ClientOptions.builder()
                .sslOptions(SslOptions.builder()
                        .jdkSslProvider()
                        .trustManager(FingerprintTrustManagerFactory.builder("SHA-256")
                                .fingerprints(fingerprint)
                                .build())
                        .build())
                .build();
    }

    private static KeyStore selfSigned(Path directory) throws Exception {
        Path file = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        SECRET,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.txt").toFile())
                .start();
        assertThat(keytool.waitFor(Slack.seconds(30).toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(keytool.exitValue())
                .as(Files.readString(directory.resolve("keytool.txt")))
                .isZero();
        return KeyStore.getInstance(file.toFile(), SECRET.toCharArray());
    }

    private static ServerSocketFactory listeners(KeyStore store) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, SECRET.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }

    @Test
    void closingOnAThreadOfTheApplicationsLoopDoesNotBlockIt() {
        try (RedisServer redis = RedisServer.start()) {
            RedisBackend backend = RedisBackend.connect(lettuce, uri(redis));
            Client.open("a", backend);
            CompletableFuture<Duration> closed = new CompletableFuture<>();
            backend.send(ACQUIRE, reply -> {
                long begin = System.nanoTime();
                backend.close();
                closed.complete(Duration.ofNanos(System.nanoTime() - begin));
            });
            assertThat(Client.await(closed)).isLessThan(Slack.of(Duration.ofMillis(1_500)));
            Await.until("its connections are closed", () -> clients(redis).size() == 1);
        }
    }

    @Test
    void connectingOnAnEventLoopThreadIsRefused() {
        try (RedisServer redis = RedisServer.start();
                RedisBackend backend = RedisBackend.connect(lettuce, uri(redis))) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> resources
                            .eventExecutorGroup()
                            .submit(() -> RedisBackend.connect(lettuce, uri(redis)))
                            .get())
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContaining("Connecting blocks");
            CompletableFuture<Throwable> refused = new CompletableFuture<>();
            backend.send(ACQUIRE, reply -> {
                try {
                    Client.open("a", backend);
                } catch (IllegalStateException e) {
                    refused.complete(e);
                }
            });
            assertThat(Client.await(refused)).hasMessageContaining("Connecting blocks");
            Client.open("a", backend); // can be tried again
        }
    }

    @Test
    void resourcesMayBeShutDownFirst() throws Exception {
        try (RedisServer redis = RedisServer.start();
                Client client = Client.open("a", RedisBackend.connect(lettuce, uri(redis)))) {
            resources.shutdown(0, 2, TimeUnit.SECONDS).get();
            long begin = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Slack.seconds(4));
            assertThatIllegalStateException()
                    .isThrownBy(() -> RedisBackend.connect(lettuce, uri(redis)))
                    .withMessageContaining("shut down");
        }
    }

    @Test
    void aServerThatIsNotThereLeavesNothingBehind() {
        RedisServer redis = RedisServer.start();
        redis.close();
        Set<Thread> before = threads("lettuce");
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> RedisBackend.connect(lettuce, uri(redis)))
                .withMessageContaining("refused");
        assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
        Await.until(
                "no I/O thread is kept",
                () -> threads("mine-").stream()
                        .noneMatch(thread -> thread.getName().contains("EventLoop")));
        assertThat(threads("lettuce")).isSubsetOf(before);
    }

    @Test
    @SuppressWarnings("deprecation") // few other executor groups have several threads per executor
    void incompatibleArgumentsAreRefused() {
        RedisURI uri = RedisURI.create("redis://h");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect(
                        lettuce, uri, RedisOptions.defaults().withClientResources(resources)))
                .withMessageStartingWith("options must have no clientResources");
        UnorderedThreadPoolEventExecutor unordered = new UnorderedThreadPoolEventExecutor(1);
        ClientResources others =
                ClientResources.builder().eventExecutorGroup(unordered).build();
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            RedisBackend.connect(uri, RedisOptions.defaults().withClientResources(others)))
                    .withMessageContaining("eventExecutorGroup");
        } finally {
            others.shutdown();
            unordered.shutdownNow();
        }
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect(null, uri))
                .withMessage("client");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect(lettuce, null))
                .withMessage("uri");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect(lettuce, uri, null))
                .withMessage("options");
    }

    private static String trace(Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}
