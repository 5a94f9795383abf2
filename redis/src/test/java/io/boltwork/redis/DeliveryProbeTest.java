// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests the probe by which a server must show that it delivers messages published by scripts. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DeliveryProbeTest {
    private static RedisServer redis;
    private static RedisServer oldest;
    private static RespProxy proxy;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        oldest = RedisServer.startEmbedded();
        proxy = new RespProxy(redis);
        Client.open("warm", redis.uri()).close(); // the first client of a JVM takes longer; this also loads the scripts
        Client.open("warm", oldest.uri()).close();
    }

    @AfterEach
    void changeNothing() {
        proxy.change(UnaryOperator.identity());
    }

    @AfterAll
    static void stop() {
        proxy.close();
        redis.close();
        oldest.close();
    }

    private static final RedisOptions QUICK = RedisOptions.defaults().withConnectTimeout(Duration.ofSeconds(2));

    private static @Nullable BackendException refused(String uri) {
        return catchThrowableOfType(BackendException.class, () -> {
            try (LockBackend backend = RedisBackend.connect(uri, QUICK)) {
                Client.open("a", backend);
            }
        });
    }

    /** Replaces the given number of first answers to probes by another value. */
    private static UnaryOperator<RespProxy.@Nullable Value> answering(int times, RespProxy.Value other) {
        AtomicInteger left = new AtomicInteger(times);
        return value -> value.isProbeAnswer() && left.getAndDecrement() > 0 ? other : value;
    }

    private static UnaryOperator<RespProxy.@Nullable Value> reachingNoClient() {
        return value -> value.isProbeAnswer()
                ? new RespProxy.Value(
                        '*',
                        "2",
                        null,
                        List.of(value.elements().get(0), new RespProxy.Value(':', "0", null, List.of())))
                : value;
    }

    @Test
    void aServerMustDeliverMessagesPublishedByScripts() {
        proxy.change(RespProxy.SWALLOWS);
        BackendException refused = refused(proxy.uri());
        assertThat(refused)
                .hasMessageContaining("127.0.0.1:" + proxy.port())
                .hasMessageContaining("does not deliver what scripts publish")
                .hasMessageContaining("did not arrive within 2000 ms");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void aMessagePublishedByAScriptMustReachTheClient() {
        proxy.change(reachingNoClient());
        BackendException refused = refused(proxy.uri());
        assertThat(refused)
                .hasMessageContaining("does not deliver what scripts publish")
                .hasMessageContaining("'boltwork:grants:a' (PUBLISH answered 0)");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void anAnswerOfNoReceiversIsCheckedAgain() {
        AtomicInteger times = new AtomicInteger();
        UnaryOperator<RespProxy.@Nullable Value> unreceived = reachingNoClient();
        proxy.change(value -> value.isProbeAnswer() && times.getAndIncrement() < 2 ? unreceived.apply(value) : value);
        assertThat(refused(proxy.uri())).isNull();
        assertThat(times).hasValue(3);
    }

    @Test
    void aLostProbeMessageIsSentAgain() {
        AtomicInteger messages = new AtomicInteger();
        proxy.change(value -> value.isMessage() && messages.getAndIncrement() == 0 ? null : value);
        assertThat(refused(proxy.uri())).isNull();
        assertThat(messages).hasValueGreaterThan(1);
    }

    @Test
    void aServerThatCannotAnswerYetIsNotRefused() {
        proxy.change(answering(1_000, RespProxy.Value.error("LOADING Redis is loading the dataset in memory")));
        assertThat(refused(proxy.uri())).isNull();
    }

    @Test
    void aServerThatCouldNotAnswerIsProbedAgain() {
        proxy.change(answering(1, RespProxy.Value.error("LOADING Redis is loading the dataset in memory")));
        CommandStats.reset(redis);
        try (Client client = Client.open("a", proxy.uri())) {
            Await.until("asked again", () -> CommandStats.of(redis).published() == 2);
            assertThat(client.warnings).noneMatch(text -> text.contains("deliver"));
        }
    }

    @Test
    void aProbeTakesOneScriptPerPairOfConnections() {
        for (RedisServer server : List.of(redis, oldest)) {
            loadScripts(server);
            CommandStats.reset(server);
            try (Client client = Client.open("a", server.uri())) {
                assertCost(server, 1);
                for (int i = 0; i < 100; i++) {
                    client.release("l", "a:1", client.acquire("l", "a:1").token());
                }
                CommandStats locked = CommandStats.of(server);
                assertThat(locked.requests()).as(locked.toString()).isEqualTo(201);
                assertThat(locked.published()).as(locked.toString()).isEqualTo(1);
                CommandStats.reset(server);
                server.command("CLIENT", "KILL", "TYPE", "pubsub");
                client.nextEvent();
                client.awaitConnected();
                Await.until("probed", () -> CommandStats.of(server).published() == 1);
                assertCost(server, 1);
            }
        }
    }

    private static void loadScripts(RedisServer server) {
        try (Client client = Client.open("first", server.uri())) {
            client.release("l", "first:1", client.acquire("l", "first:1").token());
        }
    }

    private static void assertCost(RedisServer server, int pairs) {
        CommandStats stats = CommandStats.of(server);
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(pairs);
        assertThat(stats.published()).as(stats.toString()).isEqualTo(pairs);
    }

    @Test
    void aFailedProbeLeavesAWorkingClientConnected() throws Exception {
        LockOptions shortLease = LockOptions.renewedLease(Slack.seconds(3));
        try (LockClient client = LockClient.create(RedisBackend.connect(proxy.uri(), QUICK));
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()));
                Lease held = client.lock("kept", shortLease).acquire();
                Lease wanted = other.lock("wanted").acquire()) {
            proxy.change(RespProxy.SWALLOWS);
            proxy.cut();
            Await.until("noticed", () -> warning(client).contains("did not arrive"));
            assertThat(client.isConnected()).isTrue();
            assertThat(problem(client)).contains("does not deliver what scripts publish");
            assertThat(client.health().nodes().get(0).reachable()).isTrue();
            assertThat(held.isValid()).isTrue();
            CompletableFuture<Lease> waits =
                    client.lock("wanted").acquireAsync().toCompletableFuture();
            Await.until(
                    "it waits",
                    () -> !other.inspector().describe("wanted").queue().isEmpty());
            wanted.release();
            waits.get(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS).release();
            proxy.change(UnaryOperator.identity());
            Await.until("the problem is gone", () -> problem(client).isEmpty());
            assertThat(client.isConnected()).isTrue();
            assertThat(held.isValid()).isTrue();
        }
    }

    private static String warning(LockClient client) {
        return String.join("\n", client.health().warnings());
    }

    private static String problem(LockClient client) {
        return client.health().nodes().get(0).problem();
    }

    @Test
    void eachCallOfALazyClientFailsUntilMessagesArrive() {
        proxy.change(RespProxy.SWALLOWS);
        RedisOptions lazy = QUICK.withLazyConnect(true);
        try (LockClient client = LockClient.create(RedisBackend.connect(proxy.uri(), lazy))) {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client.lock("a").tryLock())
                    .withMessageContaining("does not deliver what scripts publish")
                    .matches(refused -> !refused.isRetryable());
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client.inspector().describe("a"))
                    .matches(refused -> !refused.isRetryable());
            assertThat(client.health().connected()).isFalse();
            assertThat(problem(client)).contains("does not deliver what scripts publish");
            proxy.change(UnaryOperator.identity());
            Await.until("accepted", client::isConnected);
            client.lock("a").acquire().release();
        }
    }

    @Test
    void aMissingRightIsNamedWhenTheClientIsOpened() {
        for (RedisServer server : List.of(redis, oldest)) {
            String uri = "redis://probe:p@127.0.0.1:" + server.port();
            for (String right : List.of("+publish", "+eval", "+time")) {
                give(server, right);
                BackendException refused = refused(uri);
                assertThat(refused).hasMessageContaining("lacks a right: " + right);
                assertThat(refused.isRetryable()).isFalse();
            }
            give(server, "");
            assertThat(refused(uri)).isNull();
        }
    }

    @Test
    void aWarningNamesARevokedRight() {
        give(redis, "");
        try (Client client = Client.open("a", "redis://probe:p@127.0.0.1:" + redis.port())) {
            redis.command("ACL", "SETUSER", "probe", "-publish");
            redis.command("CLIENT", "KILL", "TYPE", "pubsub");
            Await.until(
                    "it is reported",
                    () -> client.warnings.stream().anyMatch(text -> text.contains("the user lacks a right: +publish")));
            client.nextEvent();
            client.awaitConnected();
            client.acquire("right", "a:1");
        }
    }

    private static void give(RedisServer server, String missing) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "probe", "reset", "on", ">p", "resetchannels"));
        RightsTest.LOCKING.stream().filter(each -> !each.equals(missing)).forEach(words::add);
        server.command(words.toArray(String[]::new));
        server.command("SCRIPT", "FLUSH");
    }

    @Test
    void theNextMasterIsProbedToo() {
        try (ReplicaGroup group = ReplicaGroup.start(1);
                Client client = Client.open("a", RedisBackend.connectReplicated(group.uris()))) {
            RedisServer next = group.servers().get(1);
            CommandStats.reset(next);
            group.replace(group.servers().get(0), next);
            client.nextEvent();
            client.awaitConnected();
            Await.until("probed", () -> CommandStats.of(next).requests() >= 1);
            assertThat(client.acquire("l", "a:1").token()).isPositive();
            assertThat(client.warnings).noneMatch(text -> text.contains("deliver"));
        }
    }
}
