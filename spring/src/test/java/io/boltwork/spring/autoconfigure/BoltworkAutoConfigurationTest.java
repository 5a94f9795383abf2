// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class BoltworkAutoConfigurationTest {
    private static RedisServer redis;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    BoltworkAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    BoltworkActuatorAutoConfiguration.class,
                    BoltworkIntegrationAutoConfiguration.class))
            .withPropertyValues("spring.application.name=shop");

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void memoryNeedsNoRedisAndClosesWithTheContext() {
        AtomicReference<LockClient> client = new AtomicReference<>();
        application.withPropertyValues("boltwork.backend=memory").run(context -> {
            client.set(context.getBean(LockClient.class));
            assertThat(context).hasSingleBean(MemoryBackend.class).hasSingleBean(LockTemplate.class);
            try (Lease lease = client.get().lock("stock").acquire()) {
                assertThat(client.get()
                                .inspector()
                                .describe("stock")
                                .holders()
                                .get(0)
                                .client()
                                .orElseThrow()
                                .application())
                        .isEqualTo("shop");
            }
        });
        assertThatThrownBy(() -> client.get().lock("stock").acquire()).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void applicationsOwnRedisNeedsNoOtherSetting() {
        application
                .withPropertyValues("spring.data.redis.port=" + redis.port(), "boltwork.redis.key-prefix=mine")
                .run(context -> {
                    try (Lease lease =
                            context.getBean(LockClient.class).lock("stock").acquire()) {
                        assertThat(redis.command("EXISTS", "mine:{stock}")).isEqualTo(1L);
                    }
                });
    }

    @Test
    void oneApplicationOnFourDeployments() {
        assertUsable("boltwork.lock.server.address=127.0.0.1:" + redis.port());
        assertUsable("redisson.lock.server.address=127.0.0.1:" + redis.port(), "redisson.lock.server.type=standalone");
        assertUsable("boltwork.backend=memory");
        try (SentinelGroup group = SentinelGroup.start()) {
            String addresses = group.sentinels().stream()
                    .map(server -> server.host() + ":" + server.port())
                    .reduce((a, b) -> a + "," + b)
                    .orElseThrow();
            assertUsable(
                    "boltwork.lock.server.type=sentinel",
                    "boltwork.lock.server.address=" + SentinelGroup.NAME + "," + addresses);
            assertUsable(
                    "spring.data.redis.sentinel.master=" + SentinelGroup.NAME,
                    "spring.data.redis.sentinel.nodes=" + addresses);
        }
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            String addresses = group.servers().stream()
                    .map(server -> server.host() + ":" + server.port())
                    .reduce((a, b) -> a + "," + b)
                    .orElseThrow();
            assertUsable("boltwork.lock.server.type=masterslave", "boltwork.lock.server.address=" + addresses);
            assertUsable("spring.data.redis.masterreplica.nodes=" + addresses);
        }
    }

    @Test
    void worksWithoutTheOptionalLibraries() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        BoltworkAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        BoltworkActuatorAutoConfiguration.class,
                        BoltworkIntegrationAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.data.redis",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.integration",
                        "io.micrometer.core"))
                .withPropertyValues("spring.data.redis.port=" + redis.port())
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(LocksHealthIndicator.class);
                    assertUsable(context.getBean(LockClient.class));
                });
    }

    @Test
    void listenersAreCalledAndOptionsApplied() {
        application
                .withUserConfiguration(Listening.class)
                .withPropertyValues(
                        "boltwork.backend=memory",
                        "boltwork.application=till",
                        "boltwork.outage-patience=7s",
                        "boltwork.shutdown-time=2s",
                        "boltwork.slice=3ms")
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    assertUsable(client);
                    Await.until(
                            "told", () -> !context.getBean(Listening.class).told.isEmpty());
                    assertThat(client.inspector().clients())
                            .singleElement()
                            .satisfies(each -> assertThat(each.application()).isEqualTo("till"));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {
        final List<String> told = new CopyOnWriteArrayList<>();

        @Bean
        LockListener listener() {
            return new LockListener() {
                @Override
                public void acquired(Acquired event) {
                    told.add(event.lockName());
                }
            };
        }
    }

    @Test
    void unreachableRedisIsExplained() {
        application
                .withPropertyValues("boltwork.redis.uri=redis://127.0.0.1:1", "boltwork.redis.lazy-connect=false")
                .run(context -> {
                    FailureAnalysis analysis = new ConnectionFailureAnalyzer(null).analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("127.0.0.1:1");
                    assertThat(analysis.getAction()).contains("boltwork.backend=memory");
                });
    }

    private void assertUsable(String... properties) {
        application.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertUsable(context.getBean(LockClient.class));
        });
    }

    private static void assertUsable(LockClient client) {
        try (Lease lease = client.lock("usable").acquire()) {
            assertThat(client.lock("usable").isLocked()).isTrue();
        }
    }
}
