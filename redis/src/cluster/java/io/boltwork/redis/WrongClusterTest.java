// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.WrongDeploymentTest.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests wrong clusters and addresses: each is reported clearly and in time. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class WrongClusterTest {

    @BeforeAll
    static void warmUp() {
        try (RedisServer server = RedisServer.start()) {
            RedisBackend.connect(server.uri()).close(); // the first connection of a JVM takes longer
        }
    }

    @Test
    void oneNodeGivenAsTheOnlyServer() {
        try (ClusterGroup group = ClusterGroup.start(3, 1, ClusterGroup.PATIENCE)) {
            for (String uri : group.uris()) {
                BackendException refused = refused(() -> RedisBackend.connect(uri));
                assertThat(refused)
                        .hasMessageContaining("it is a node of a Redis Cluster; use RedisBackend.connectCluster");
                assertThat(refused.isRetryable()).isFalse();
            }
            assertThat(refused(() -> RedisBackend.connectReplicated(group.uris())))
                    .hasMessageContaining("use connectCluster");
            RedisServer replica = group.replicasOf(group.masters().get(0)).get(0);
            try (LockClient client = LockClient.create(RedisBackend.connectCluster(List.of(replica.uri())))) {
                assertThat(client.lock("l").tryLock())
                        .as("a replica knows the masters")
                        .isTrue();
            }
            slotsWithoutAMaster(group);
            aMasterThatCannotBeReached(group);
        }
    }

    private static void slotsWithoutAMaster(ClusterGroup group) {
        RedisServer master = group.masterOf(42);
        group.uncover(42);
        BackendException refused = refused(() -> RedisBackend.connectCluster(group.uris()));
        assertThat(refused).hasMessageContaining("no master has the slots 42");
        assertThat(refused.isRetryable()).isTrue();
        group.cover(42, master);
    }

    private static void aMasterThatCannotBeReached(ClusterGroup group) {
        RedisServer master = group.masters().get(1);
        RedisServer asked = group.masters().get(0);
        group.announce(master, master.host(), 1);
        assertThat(refused(() -> RedisBackend.connectCluster(List.of(asked.uri()))))
                .hasMessageContaining("Redis at 127.0.0.1:1")
                .hasMessageContaining("cluster-announce-ip");
        Function<HostAndPort, HostAndPort> translation =
                announced -> announced.getPort() == 1 ? HostAndPort.of(master.host(), master.port()) : announced;
        ClientResources translating = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(translation))
                .build();
        RedisOptions options = RedisOptions.defaults().withClientResources(translating);
        try (LockClient client = LockClient.create(RedisBackend.connectCluster(List.of(asked.uri()), options))) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.lock("lock-" + i).tryLock()).isTrue();
            }
        } finally {
            translating.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void theOnlyServerGivenAsACluster() {
        try (RedisServer server = RedisServer.start()) {
            BackendException refused = refused(() -> RedisBackend.connectCluster(List.of(server.uri())));
            assertThat(refused).hasMessageContaining("it is not a node of a Redis Cluster; use RedisBackend.connect");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    @Test
    void noServerAnswers() {
        BackendException refused =
                refused(() -> RedisBackend.connectCluster(List.of("redis://127.0.0.1:1", "redis://127.0.0.1:2")));
        assertThat(refused).hasMessageContaining("127.0.0.1:1").hasMessageContaining("127.0.0.1:2");
        assertThat(refused.isRetryable()).isTrue();
    }

    @Test
    void addressesThatMakeNoSense() {
        assertThatThrownBy(() -> RedisBackend.connectCluster(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("uris must name the servers");
        assertThatThrownBy(() -> RedisBackend.connectCluster(List.of("redis://localhost:7000/1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has only 0");
    }

    @Test
    void aWrongPassword() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE)) {
            group.nodes().forEach(node -> node.command("CONFIG", "SET", "requirepass", "right"));
            List<String> wrong = group.uris().stream()
                    .map(uri -> uri.replace("://", "://:wrong@"))
                    .toList();
            BackendException refused = refused(() -> RedisBackend.connectCluster(wrong));
            assertThat(refused).hasMessageContaining("refused the user or password");
            assertThat(refused.isRetryable()).isFalse();
        }
    }

    /** Tests a cluster during an upgrade: some masters have sharded channels, and some have not. */
    @Test
    void nodesOfDifferentVersionsAreAccepted() {
        try (ClusterGroup group = ClusterGroup.startMixed(3);
                LockClient ours = LockClient.create(RedisBackend.connectCluster(group.uris()));
                LockClient theirs = LockClient.create(RedisBackend.connectCluster(group.uris()))) {
            for (int i = 0; i < 30; i++) {
                String name = "lock-" + i;
                Lease held = ours.lock(name).acquire();
                CompletableFuture<Lease> waiting =
                        theirs.lock(name).acquireAsync().toCompletableFuture();
                Await.until(
                        "it waits",
                        () -> ours.inspector().describe(name).queue().size() == 1);
                held.release();
                assertThat(waiting).succeedsWithin(Slack.seconds(2).toMillis(), TimeUnit.MILLISECONDS);
                waiting.join().release();
            }
        }
    }
}
