// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The properties {@code boltwork.redis.*}, each tested with a real Redis. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class RedisPropertiesTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start("--user", "shop", "on", ">s3cret", "~*", "&*", "+@all");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void uri() {
        usable("boltwork.redis.uri=redis://shop:s3cret@127.0.0.1:" + server.port() + "/0");
        assertWrong(redis(), "boltwork.redis.uri=http://localhost", "redis://localhost:6379");
        assertWrong(redis(), "boltwork.redis.uri=redis://localhost/first", "database");
        assertFailed("s3cre7", "boltwork.redis.uri=redis://shop:s3cre7@127.0.0.1:" + server.port());
    }

    @Test
    void severalUrisAreAMasterAndItsReplicas() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            usable("boltwork.redis.uri=" + String.join(",", group.uris()));
        }
    }

    @Test
    void keyPrefix() {
        redis().withPropertyValues("boltwork.redis.uri=" + server.uri(), "boltwork.redis.key-prefix=mine")
                .run(context -> {
                    try (Lease lease =
                            context.getBean(LockClient.class).lock("stock").acquire()) {
                        assertThat(server.command("EXISTS", "mine:{stock}")).isEqualTo(1L);
                        assertThat(lease.isValid()).isTrue();
                    }
                });
        assertWrong(redis(), "boltwork.redis.key-prefix=a b", "contain braces, whitespace");
    }

    @Test
    void idleLife() {
        redis().withPropertyValues("boltwork.redis.uri=" + server.uri(), "boltwork.redis.idle-life=2d")
                .run(context -> {
                    context.getBean(LockClient.class).lock("idle").acquire().release();
                    assertThat((Long) server.command("PTTL", "boltwork:{idle}"))
                            .as("10 minutes by default")
                            .isGreaterThan(Duration.ofDays(2).toMillis());
                });
        assertWrong(redis(), "boltwork.redis.idle-life=59s", "between 1 min and 7 days");
    }

    @Test
    void connectionsOfCallers() {
        redis().withPropertyValues("boltwork.redis.uri=" + server.uri(), "boltwork.redis.direct-connections=8")
                .run(context -> context.getBean(LockClient.class)
                        .lock("direct")
                        .acquire()
                        .release());
        assertWrong(redis(), "boltwork.redis.direct-connections=9", "directConnections must be between 0 and 8");
    }

    @Test
    void timeout() {
        try (RedisServer slow = RedisServer.start()) {
            redis().withPropertyValues("boltwork.redis.uri=" + slow.uri(), "boltwork.redis.timeout=150ms")
                    .run(context -> {
                        LockClient locks = context.getBean(LockClient.class);
                        assertUsable(locks);
                        slow.freeze();
                        long begun = System.nanoTime();
                        assertThatExceptionOfType(BackendException.class)
                                .isThrownBy(() -> locks.lock("stock").tryLock());
                        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                                .as("2 s by default")
                                .isBetween(Duration.ofMillis(140), Slack.of(Duration.ofMillis(1_500)));
                        slow.thaw();
                    });
        }
        assertWrong(redis(), "boltwork.redis.timeout=0s", "at least 1 ms");
    }

    @Test
    void connectTimeout() {
        try (RedisServer silent = RedisServer.start()) {
            silent.freeze();
            String uri = "boltwork.redis.uri=" + silent.uri();
            String applications = "spring.data.redis.connect-timeout=300ms";
            assertConnectTimeout(300, uri, applications);
            assertConnectTimeout(200, uri, applications, "boltwork.redis.connect-timeout=200ms");
            silent.thaw();
        }
        assertWrong(redis(), "boltwork.redis.connect-timeout=11m", "between 1 ms and 10 min");
        assertWrong(redis(), "spring.data.redis.connect-timeout=11m", "between 1 ms and 10 min");
    }

    /**
     * The client gives up after 250 ms more. On a busy machine, Lettuce's own limit, which is twice as long, comes
     * first.
     */
    private static void assertConnectTimeout(int millis, String... properties) {
        redis().withPropertyValues("boltwork.redis.lazy-connect=false")
                .withPropertyValues(properties)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageMatching("(?s).*no answer within " + (millis + 250) + " ms.*" + "|.*timed out after "
                                + 2 * millis + " millisecond.*"));
    }

    @Test
    void missingSslBundleIsNamed() {
        assertWrong(
                redis().withPropertyValues("boltwork.redis.uri=rediss://127.0.0.1:1"),
                "boltwork.redis.ssl-bundle=nobody",
                "no such bundle");
    }

    @Test
    void sentinelUsernameAndPassword() {
        try (SentinelGroup group = SentinelGroup.start()) {
            for (RedisServer sentinel : group.sentinels()) {
                sentinel.command("ACL", "SETUSER", "watcher", "on", ">w4tch", "~*", "&*", "+@all");
            }
            String uri = "boltwork.redis.uri=" + group.uri();
            usable(uri, "boltwork.redis.sentinel-username=watcher", "boltwork.redis.sentinel-password=w4tch");
            assertFailed(
                    "w4tsch",
                    uri,
                    "boltwork.redis.sentinel-username=watcher",
                    "boltwork.redis.sentinel-password=w4tsch");
        }
    }

    @Test
    void theBridgeSharesTheLocksOfSomeNames() {
        try (RedisServer server = RedisServer.start()) {
            redis().withPropertyValues("boltwork.redis.uri=" + server.uri(), "boltwork.redis.bridge=orders:*,coupon")
                    .run(context -> {
                        LockClient locks = context.getBean(LockClient.class);
                        for (String name : List.of("orders:7", "coupon", "stock:1")) {
                            try (Lease lease = locks.lock(name).acquire()) {
                                assertThat(lease.isValid()).isTrue();
                                assertThat(server.command("EXISTS", name)).isEqualTo(name.equals("stock:1") ? 0L : 1L);
                            }
                        }
                    });
        }
    }

    private static void usable(String... properties) {
        redis().withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertUsable(context.getBean(LockClient.class));
        });
    }

    private static void assertFailed(String secret, String... properties) {
        redis().withPropertyValues(properties)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .satisfies(root -> assertThat(root.toString()).doesNotContain(secret)));
    }
}
