// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests a client that is created while Redis is down. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class LazyConnectTest {
    private static final RedisOptions LAZY = RedisOptions.defaults().withLazyConnect(true);

    @Test
    void aLazyClientConnectsWhenTheServerComesUp() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            try (LockClient client = LockClient.create(RedisBackend.connect(redis.uri(), LAZY))) {
                assertThat(client.isConnected()).isFalse();
                assertThat(client.health().connected()).isFalse();
                assertThat(client.health().nodes()).singleElement().satisfies(node -> {
                    assertThat(node.reachable()).isFalse();
                    assertThat(node.problem()).contains(String.valueOf(redis.port()));
                });
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> client.lock("a").tryLock())
                        .matches(BackendException::isRetryable);
                CompletableFuture<Lease> waits = client.lock("a").acquireAsync().toCompletableFuture();
                redis.restart();
                waits.get(20, TimeUnit.SECONDS).release();
                assertThat(client.isConnected()).isTrue();
                assertThat(client.health().nodes()).singleElement().matches(node -> node.reachable());
            }
        }
    }

    @Test
    void aLazyClientRecoversFromALaterOutage() throws Exception {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri(), LAZY))) {
            assertThat(client.isConnected()).isTrue();
            client.lock("a").acquire().release();
            redis.kill();
            Await.until("noticed", () -> !client.isConnected());
            redis.restart();
            Await.until("connected again", client::isConnected);
            client.lock("a").acquire().release();
        }
    }

    @Test
    void aRefusalThatIsFoundLaterFailsEveryCall() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            try (LockClient client = LockClient.create(RedisBackend.connect(redis.uri(), LAZY))) {
                Process locked = new ProcessBuilder(
                                "redis-server", "--port", "" + redis.port(), "--save", "", "--requirepass", "s3cret")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                try {
                    Await.until("refused", () -> isRefused(client));
                    assertRefusedEverywhere(client);
                } finally {
                    locked.destroyForcibly().waitFor();
                }
                redis.restart();
                Await.until("accepted", client::isConnected);
                client.lock("a").acquire().release();
            }
        }
    }

    private static void assertRefusedEverywhere(LockClient client) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> client.lock("a").tryLock(20, TimeUnit.SECONDS))
                .withMessageContaining("password")
                .matches(refused -> !refused.isRetryable());
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> client.inspector().describe("a"))
                .matches(refused -> !refused.isRetryable());
        assertThat(client.health().connected()).isFalse();
        assertThat(client.health().nodes().get(0).problem()).contains("password");
    }

    private static boolean isRefused(LockClient client) {
        try {
            return !client.lock("a").tryLock();
        } catch (BackendException e) {
            return !e.isRetryable();
        }
    }

    @Test
    void aRefusalThatIsFoundAtOnceIsThrown() {
        try (RedisServer redis = RedisServer.start("--requirepass", "s3cret")) {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisBackend.connect(redis.uri(), LAZY).close())
                    .matches(refused -> !refused.isRetryable());
        }
    }

    @Test
    void aClientThatIsNotLazyFailsAtOnce() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisBackend.connect(redis.uri(), LAZY.withLazyConnect(false))
                            .close());
        }
    }

    @Test
    void aLazyClientClosesWhileTheServerIsDown() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            LockClient client = LockClient.create(RedisBackend.connect(redis.uri(), LAZY));
            client.close();
            Await.until(
                    "ended",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals("boltwork-connect")));
        }
    }

    @Test
    void aLazyClientConnectsToAClusterWhenItComesUp() throws Exception {
        try (ClusterGroup cluster = ClusterGroup.start()) {
            cluster.nodes().forEach(cluster::kill);
            try (LockClient client = LockClient.create(RedisBackend.connectCluster(cluster.uris(), LAZY))) {
                assertThat(client.isConnected()).isFalse();
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> client.lock("a").tryLock());
                cluster.nodes().forEach(cluster::restart);
                cluster.awaitOk();
                Await.until("connected", client::isConnected);
                for (int i = 0; i < 20; i++) {
                    client.lock("a" + i).acquire().release();
                }
            }
        }
    }
}
