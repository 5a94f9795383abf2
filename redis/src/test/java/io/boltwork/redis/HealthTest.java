// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.ClientClosedException;
import io.boltwork.ClientHealth;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.NodeStatus.Role;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Tests the health of a client and its servers, and warnings about settings that weaken promises. */
class HealthTest {

    @Test
    void healthShowsTheServersVersionAndLatency() {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            Lease held = client.lock("l").acquire();
            CompletableFuture<Lease> waiting = client.lock("l").acquireAsync().toCompletableFuture();
            ClientHealth health = client.health();
            assertThat(health.connected()).isTrue();
            assertThat(health.held()).isEqualTo(1);
            assertThat(health.waiting()).isEqualTo(1);
            assertThat(health.renewalLag()).isZero();
            assertThat(health.nodes()).singleElement().satisfies(node -> {
                assertThat(node.address()).isEqualTo("127.0.0.1:" + redis.port());
                assertThat(node.role()).isEqualTo(Role.MASTER);
                assertThat(node.reachable()).isTrue();
                assertThat(node.latency()).isBetween(Duration.ofNanos(1), Slack.seconds(2));
                assertThat(node.version()).isEqualTo(redis.version());
                assertThat(node.problem()).isEmpty();
            });
            waiting.cancel(false);
            held.release();
        }
    }

    @Test
    void healthShowsAFrozenServerAndLateRenewals() {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri() + "?timeout=500ms"));
                Lease held = client.lock("l", LockOptions.renewedLease(Slack.seconds(6)))
                        .acquire()) {
            redis.freeze();
            long start = System.nanoTime();
            NodeStatus node = client.health().nodes().get(0);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Slack.seconds(2));
            assertThat(node.reachable()).isFalse();
            assertThat(node.problem()).isNotEmpty();
            Await.until(
                    "its renewal is late", () -> client.health().renewalLag().toMillis() > 0);
            redis.thaw();
            Await.until("it is renewed", () -> client.health().renewalLag().isZero());
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void healthShowsWhichSentinelsAndReplicasAreReachable() {
        try (SentinelGroup group = SentinelGroup.start();
                LockClient watched = LockClient.create(RedisBackend.connect(group.uri()));
                LockClient replicated = LockClient.create(
                        RedisBackend.connectReplicated(group.data().uris()))) {
            assertThat(watched.health().nodes())
                    .extracting(NodeStatus::role)
                    .containsExactly(Role.MASTER, Role.SENTINEL, Role.SENTINEL, Role.SENTINEL);
            assertThat(replicated.health().nodes())
                    .extracting(NodeStatus::role)
                    .containsExactly(Role.MASTER, Role.REPLICA, Role.REPLICA);
            group.sentinels().get(0).kill();
            Await.until(
                    "a sentinel is seen to be gone",
                    () -> watched.health().nodes().stream()
                                    .filter(NodeStatus::reachable)
                                    .count()
                            == 3);
            assertThat(watched.health().connected()).isTrue();
            group.data().servers().get(2).kill();
            Await.until(
                    "a replica is seen to be gone",
                    () -> replicated.health().nodes().stream()
                                    .filter(NodeStatus::reachable)
                                    .count()
                            == 2);
        }
    }

    @Test
    void aClosedClientHasNoHealth() {
        try (RedisServer redis = RedisServer.start()) {
            LockClient client = LockClient.create(RedisBackend.connect(redis.uri()));
            client.close();
            assertThatExceptionOfType(ClientClosedException.class).isThrownBy(client::health);
        }
    }

    @Test
    void settingsThatWeakenPromisesCauseOneWarning() {
        try (RedisServer redis = RedisServer.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            Queue<String> warnings = warnings(client);
            Await.until("the warnings have arrived", () -> warnings.size() >= 2);
            redis.command("CLIENT", "KILL", "TYPE", "normal");
            client.lock("l").acquire().release();
            assertThat(warnings).hasSize(2).anyMatch(text -> text.contains("maxmemory-policy is allkeys-lru"));
            assertThat(warnings).anyMatch(text -> text.contains("appendonly is no"));
            assertThat(client.health().warnings()).containsExactlyElementsOf(warnings);
        }
    }

    @Test
    void aMasterThatWritesWithoutReplicasCausesAWarning() {
        try (ReplicaGroup group = ReplicaGroup.start(1, "--appendonly", "yes");
                LockClient client = LockClient.create(RedisBackend.connectReplicated(group.uris()))) {
            assertThat(client.health().warnings())
                    .singleElement()
                    .satisfies(text -> assertThat(text).contains("min-replicas-to-write is 0"));
            group.servers().get(0).command("CONFIG", "SET", "min-replicas-to-write", "1");
            try (LockClient later = LockClient.create(RedisBackend.connectReplicated(group.uris()))) {
                assertThat(later.health().warnings()).isEmpty();
            }
        }
    }

    private static Queue<String> warnings(LockClient client) {
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        client.addListener(new LockListener() {
            @Override
            public void backendWarning(BackendWarning event) {
                warnings.add(event.text());
            }
        });
        return warnings;
    }
}
