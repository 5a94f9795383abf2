// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.autoconfigure.BoltworkActuatorAutoConfiguration;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tests a web application in operation: health, meters, an outage, and shutdown. */
class OperationsTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void metersAreGrouped() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(BoltworkAutoConfiguration.class, BoltworkActuatorAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("boltwork.backend=memory", "boltwork.metrics.max-groups=1")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    for (int i = 0; i < 3; i++) {
                        locks.lock("stock:" + i).acquire().release();
                    }
                    locks.lock("another:1").acquire().release();
                    Lease held = locks.lock("stock:9")
                            .acquireAsync()
                            .toCompletableFuture()
                            .get(5, TimeUnit.SECONDS);
                    locks.lock("stock:9").tryAcquire();
                    locks.lock("stock:9", LockOptions.renewedLease(Duration.ofSeconds(20))) // so not passed on inside
                            .acquireAsync()
                            .thenAccept(Lease::releaseAsync);
                    Await.until(
                            "counted",
                            () -> count(meters, "granted", "stock") == 4
                                    && count(meters, "granted", "other") == 1
                                    && count(meters, "refused", "stock") == 1);
                    assertThat(meters.get("boltwork.lock.queue").gauge().value())
                            .isEqualTo(1);
                    locks.inspector().forceRelease("stock:9");
                    assertThatExceptionOfType(LeaseLostException.class).isThrownBy(held::release);
                    Await.until(
                            "lost",
                            () -> meters.find("boltwork.lock.lost")
                                            .tags("group", "stock", "reason", "taken")
                                            .counter()
                                    != null);
                    assertThat(meters.get("boltwork.lock.hold")
                                    .tag("group", "stock")
                                    .timer()
                                    .count())
                            .isGreaterThanOrEqualTo(3);
                    assertThat(meters.get("boltwork.lock.wait")
                                    .tag("group", "stock")
                                    .timer()
                                    .count())
                            .isGreaterThanOrEqualTo(5);
                });
    }

    private static double count(MeterRegistry meters, String outcome, String group) {
        var counter = meters.find("boltwork.lock.acquired")
                .tags("outcome", outcome, "group", group)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void healthCountsRetainedLocks() {
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            LocksHealthIndicator health = new LocksHealthIndicator(locks, Stream::empty);
            assertThat(health.health().getDetails()).doesNotContainKeys("retained", "retainedLost");
            locks.lock("tick", LockOptions.renewedLease(Duration.ofSeconds(5)).withRetention(Duration.ofMinutes(1)))
                    .acquire()
                    .release();
            assertThat(health.health().getDetails()).containsEntry("held", 0).containsEntry("retained", 1);
        }
    }

    @Test
    void healthCountsRetainedLocksThatTheServerForgot() throws Exception {
        try (RedisServer redis = RedisServer.start();
                LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()))) {
            LocksHealthIndicator health = new LocksHealthIndicator(locks, Stream::empty);
            locks.lock("tick", LockOptions.renewedLease(Duration.ofSeconds(1)).withRetention(Duration.ofMinutes(1)))
                    .acquire()
                    .release();
            redis.command("FLUSHALL");
            Await.until(
                    "the loss is counted",
                    () -> Long.valueOf(1).equals(health.health().getDetails().get("retainedLost")));
            assertThat(health.health().getDetails()).doesNotContainKey("retained");
        }
    }

    @Test
    void requestsFailInTimeAndHealthIsDownWithoutRedis() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = start("spring.data.redis.port=" + redis.port())) {
            LocksHealthIndicator health = application.getBean(LocksHealthIndicator.class);
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
            assertThat(get(application, "/buy").statusCode()).isEqualTo(200);
            redis.kill();
            Await.until("health is down", () -> health.health().getStatus().equals(Status.DOWN));
            assertThat(get(application, "/actuator/health/locks").statusCode()).isEqualTo(503);
            long before = System.nanoTime();
            assertThat(get(application, "/buy").body()).isEqualTo(BackendException.class.getSimpleName());
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Slack.of(Duration.ofSeconds(3)));
            redis.restart();
            Await.until("health is up", () -> health.health().getStatus().equals(Status.UP));
            assertThat(get(application, "/buy").body()).isEqualTo("bought");
        }
    }

    @Test
    void healthIsDownWhileLocksAreRefused() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = start("spring.data.redis.port=" + redis.port())) {
            redis.command("CONFIG", "SET", "maxmemory", "1");
            HttpResponse<String> down = get(application, "/actuator/health/locks");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(down.body()).contains("\"usable\":false", "its memory is full");
            redis.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(get(application, "/actuator/health/locks").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void closesAfterRequestsHaveEnded() throws Exception {
        ConfigurableApplicationContext application = start("boltwork.backend=memory");
        Desk desk = application.getBean(Desk.class);
        CompletableFuture<String> slow = http.sendAsync(
                        request(application, "/slow").build(), HttpResponse.BodyHandlers.ofString())
                .thenApply(HttpResponse::body);
        assertThat(desk.begun.await(10, TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(application::close);
        closing.start();
        Await.until("the application closes", () -> application.isClosed());
        desk.end.countDown();
        assertThat(slow.get(10, TimeUnit.SECONDS)).isEqualTo("valid: true");
        closing.join(10_000);
        assertThat(closing.isAlive()).isFalse();
    }

    private HttpResponse<String> get(ConfigurableApplicationContext application, String path) throws Exception {
        return http.send(request(application, path).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext application, String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path));
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always")
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @Import(Desk.class)
    static class App {
        @Bean
        Cashier till() {
            return new Cashier();
        }
    }

    static class Cashier {
        @DistributedLock(name = "buy", waitFor = "1s")
        public String buy() {
            return "bought";
        }
    }

    @RestController
    static class Desk {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        private final Cashier till;
        private final LockTemplate locks;

        Desk(Cashier till, LockTemplate locks) {
            this.till = till;
            this.locks = locks;
        }

        @GetMapping("/buy")
        String buy() {
            try {
                return till.buy();
            } catch (BackendException unknown) {
                return unknown.getClass().getSimpleName();
            }
        }

        @GetMapping("/slow")
        String slow() throws InterruptedException {
            return locks.<String, InterruptedException>execute("slow", lease -> {
                begun.countDown();
                end.await();
                return "valid: " + lease.isValid();
            });
        }
    }
}
