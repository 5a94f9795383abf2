// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that each master of a cluster must deliver messages published by scripts, on a channel of one of its slots. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ClusterDeliveryProbeTest {
    private static ClusterGroup group;
    private static List<RedisServer> masters;

    /** The proxy in front of the first master. The cluster announces its address to clients. */
    private static RespProxy proxy;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
        masters = group.masters();
        proxy = new RespProxy(masters.get(0));
        group.announce(masters.get(0), "127.0.0.1", proxy.port());
        open("warm").close();
    }

    @AfterEach
    void changeNothing() {
        proxy.change(UnaryOperator.identity());
    }

    @AfterAll
    static void stop() {
        proxy.close();
        group.close();
    }

    private static List<String> uris() {
        return List.of(masters.get(1).uri(), masters.get(2).uri());
    }

    private static Client open(String id) {
        return Client.open(id, RedisBackend.connectCluster(uris()));
    }

    private static BackendException refused() {
        BackendException[] refused = new BackendException[1];
        RedisOptions options = RedisOptions.defaults().withConnectTimeout(Slack.seconds(5));
        try (RedisBackend backend = RedisBackend.connectCluster(uris(), options)) {
            refused[0] = catchThrowableOfType(BackendException.class, () -> Client.open("a", backend));
        }
        assertThat(refused[0]).isNotNull();
        return refused[0];
    }

    @Test
    void aClientIsRefusedIfOneMasterDeliversNoMessages() {
        proxy.change(RespProxy.SWALLOWS);
        BackendException refused = refused();
        assertThat(refused)
                .hasMessageContaining("127.0.0.1:" + proxy.port() + " does not deliver what scripts publish")
                .hasMessageContaining(
                        "did not arrive within " + Slack.seconds(5).toMillis() + " ms");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void eachMasterIsProbedByOneScriptAndOneSubscription() {
        masters.forEach(CommandStats::reset);
        try (Client client = open("a")) {
            for (RedisServer master : masters) {
                CommandStats stats = CommandStats.of(master);
                assertThat(stats.requests()).as(stats.toString()).isEqualTo(1);
                assertThat(stats.of(isSharded(master) ? "spublish" : "publish"))
                        .as(stats.toString())
                        .isEqualTo(1);
                assertThat(stats.published()).as(stats.toString()).isEqualTo(1);
            }
            for (RedisServer master : masters) {
                if (isSharded(master)) {
                    assertThat(stats(master)).contains("cmdstat_ssubscribe:calls=1,");
                    Await.until("it has unsubscribed", () -> stats(master).contains("cmdstat_sunsubscribe:calls=1,"));
                    assertThat(master.command("PUBSUB", "SHARDCHANNELS")).isEqualTo(List.of());
                }
            }
            assertThat(client.grants).isEmpty();
        }
    }

    private static String stats(RedisServer server) {
        return String.valueOf(server.command("INFO", "commandstats"));
    }

    private static boolean isSharded(RedisServer server) {
        return ServerInfo.isAtLeast(server.version(), 7, 0);
    }

    @Test
    void aMovedSlotIsProbedAtItsNewMaster() {
        AtomicInteger moved = new AtomicInteger();
        proxy.change(value -> value.isProbeAnswer() && moved.getAndIncrement() == 0
                ? RespProxy.Value.error("MOVED 42 127.0.0.1:" + masters.get(1).port())
                : value);
        try (Client client = open("a")) {
            Await.until("probed again", () -> moved.get() > 1);
            assertThat(client.warnings).noneMatch(text -> text.contains("deliver"));
        }
    }

    @Test
    void aMasterWhoseProbeFailsLaterIsReportedAndStillUsed() {
        try (LockClient client = LockClient.create(RedisBackend.connectCluster(uris()))) {
            UnaryOperator<RespProxy.@Nullable Value> swallows = RespProxy.SWALLOWS;
            proxy.change(swallows);
            proxy.cut();
            Await.until(
                    "it is reported",
                    () -> client.health().warnings().stream()
                            .anyMatch(text -> text.contains(proxy.port() + " does not deliver")));
            assertThat(client.isConnected()).isTrue();
            assertThat(client.health().nodes())
                    .filteredOn(node -> node.problem().contains("does not deliver"))
                    .extracting(node -> node.address())
                    .containsExactly("127.0.0.1:" + proxy.port());
            for (int i = 0; i < 20; i++) {
                client.lock("used-" + i).acquire().release();
            }
            proxy.change(UnaryOperator.identity());
            Await.until(
                    "the problem is gone",
                    () -> client.health().nodes().stream()
                            .allMatch(node -> node.problem().isEmpty()));
        }
    }

    /** A user that can inspect locks but not take them needs no messages. */
    @Test
    void aUserWithoutScriptRightsMayOpenAClient() {
        for (RedisServer master : masters) {
            master.command(
                    ("ACL SETUSER looking reset on >p resetchannels ~boltwork:* &boltwork:grants:* &boltwork:told:*"
                                    + " +ping +info +time +hmget +hgetall +scan +subscribe +cluster|slots")
                            .split(" "));
        }
        List<String> uris =
                uris().stream().map(uri -> uri.replace("://", "://looking:p@")).toList();
        try (Client client = Client.open("a", RedisBackend.connectCluster(uris))) {
            assertThat(client.inspect("looked at").queue()).isEmpty();
            assertThat(client.warnings).noneMatch(text -> text.contains("lacks a right"));
        }
    }

    @Test
    void movingSlotsCausesNoProbe() {
        RedisServer taker = masters.get(2);
        try (Client client = open("a")) {
            masters.forEach(CommandStats::reset);
            group.moveSlot(11, masters.get(0), taker);
            client.acquire("l", "a:1");
            assertThat(CommandStats.of(masters).published()).isZero();
        } finally {
            group.moveSlot(11, taker, masters.get(0));
        }
    }

    @Test
    void mastersOfOldAndNewVersionsAreProbedOnceEach() {
        try (ClusterGroup mixed = ClusterGroup.startMixed(3);
                LockClient first = LockClient.create(RedisBackend.connectCluster(mixed.uris()))) {
            first.lock("l").acquire().release();
            mixed.masters().forEach(CommandStats::reset);
            try (Client client = Client.open("a", RedisBackend.connectCluster(mixed.uris()))) {
                for (RedisServer master : mixed.masters()) {
                    CommandStats stats = CommandStats.of(master);
                    assertThat(stats.of(isSharded(master) ? "spublish" : "publish"))
                            .as("%s: %s", client.id, stats)
                            .isEqualTo(1);
                    assertThat(stats.published()).as(stats.toString()).isEqualTo(1);
                }
            }
        }
    }
}
