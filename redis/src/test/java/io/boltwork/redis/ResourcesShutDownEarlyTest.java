// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** An application that ends its client resources before the clients that use them. */
class ResourcesShutDownEarlyTest {
    /** Less than any time-out, and enough on a busy machine. */
    private static final Duration AT_ONCE = Duration.ofMillis(1_500);

    private static final String PREFIX = "early-";

    private ClientResources resources;

    /** Creates the resources only now: an object of this class is also made for a test that is skipped. */
    @BeforeEach
    void createResources() {
        resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .threadFactoryProvider(pool -> task -> {
                    Thread thread = new Thread(task, PREFIX + pool);
                    thread.setDaemon(true);
                    return thread;
                })
                .build();
    }

    private static boolean isAnyThreadLeft() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.isAlive() && thread.getName().startsWith(PREFIX));
    }

    private void shutDown() throws Exception {
        resources.shutdown(0, 2, TimeUnit.SECONDS).get();
    }

    @AfterEach
    void noThreadIsLeft() throws Exception {
        shutDown();
        Await.until("no thread is left", () -> !isAnyThreadLeft());
    }

    @Test
    void allCallsEndAtOnce() throws Exception {
        RedisClient lettuce = RedisClient.create(resources);
        try (RedisServer redis = RedisServer.start();
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()))) {
            checkEnd(other, LockClient.create(RedisBackend.connect(lettuce, RedisURI.create(redis.uri()))));
        }
        lettuce.shutdown();
    }

    @Test
    void allCallsEndAtOnceIfTheBackendConnectsLazily() throws Exception {
        RedisOptions options =
                RedisOptions.defaults().withClientResources(resources).withLazyConnect(true);
        try (RedisServer redis = RedisServer.start();
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()))) {
            LockClient client = LockClient.create(RedisBackend.connect(redis.uri(), options));
            Await.until("it is connected", client::isConnected);
            checkEnd(other, client);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void allCallsEndAtOnceOnACluster() throws Exception {
        RedisOptions options = RedisOptions.defaults().withClientResources(resources);
        try (ClusterGroup cluster = ClusterGroup.start()) {
            List<String> uris = cluster.uris();
            try (LockClient other = LockClient.create(RedisBackend.connectCluster(uris))) {
                checkEnd(other, LockClient.create(RedisBackend.connectCluster(uris, options)));
            }
        }
    }

    private void checkEnd(LockClient other, LockClient client) throws Exception {
        try (client) {
            Queue<LockListener.BackendDown> told = new ConcurrentLinkedQueue<>();
            client.addListener(new LockListener() {
                @Override
                public void backendDown(BackendDown event) {
                    told.add(event);
                }
            });
            other.lock("l").lock();
            client.lock("held").lock();
            Task<Boolean> waiting = Task.start("waits", () -> client.lock("l").tryLock(1, TimeUnit.HOURS));
            waiting.awaitParked();
            shutDown();
            Await.within(AT_ONCE, "it is noticed", () -> !client.isConnected());
            assertThat(waiting.failure())
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("shut down by the application before the LockClient")
                    .hasMessageContaining("Close the LockClient first");
            Await.until("it is told", () -> !told.isEmpty());
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client.lock("new").tryLock())
                    .satisfies(failure -> assertThat(failure.isRetryable()).isFalse());
            client.lock("held").unlock();
            assertThat(client.health().nodes())
                    .isNotEmpty()
                    .allSatisfy(node -> assertThat(node.problem()).contains("shut down"));
            long begin = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Slack.of(AT_ONCE));
            assertThat(told).hasSize(1);
        }
    }
}
