// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests start and end of an application, and its log. */
@ExtendWith(OutputCaptureExtension.class)
class StartTest {

    @Test
    void startsWhileRedisIsDownAndConnectsLater(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            try (ConfigurableApplicationContext application = start(redis)) {
                LocksHealthIndicator health = application.getBean(LocksHealthIndicator.class);
                Till till = application.getBean(Till.class);
                assertThat(output).contains("locks at redis://localhost:" + redis.port(), "cannot be reached yet");
                assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
                assertThatExceptionOfType(BackendException.class).isThrownBy(till::tryBuy);
                redis.restart();
                assertThat(till.buy()).as("the call waits for Redis").isEqualTo("bought");
                Await.until("health is up", () -> health.health().getStatus().equals(Status.UP));
            }
        }
    }

    @Test
    void tellsAtTheStartThatLocksAreRefused(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start("--maxmemory", "1");
                ConfigurableApplicationContext application = start(redis)) {
            assertThat(output)
                    .contains(", version " + redis.version() + "; it refuses to grant locks: its memory is full");
            assertThatExceptionOfType(BackendException.class).isThrownBy(application.getBean(Till.class)::tryBuy);
            assertThat(application.getBean(LocksHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.DOWN);
        }
    }

    @Test
    void failsFastIfConfigured() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() ->
                            start(redis, "boltwork.redis.lazy-connect=false").close())
                    .satisfies(failure -> assertThat(failure)
                            .hasRootCauseInstanceOf(Exception.class)
                            .hasStackTraceContaining(BackendException.class.getName()));
        }
    }

    @Test
    void logsOneLineWithAddressAndVersion(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes");
                ConfigurableApplicationContext application = start(redis)) {
            assertThat(application.getBean(LockClient.class).isConnected()).isTrue();
            assertThat(output.getOut().lines().filter(line -> line.contains(LockClient.class.getSimpleName())))
                    .singleElement()
                    .asString()
                    .contains(" INFO ", "Boltwork", "redis://localhost:" + redis.port(), "version " + redis.version());
        }
    }

    @Test
    void logsNoWarningAtStartAndNoErrorAtTheEnd(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes")) {
            try (ConfigurableApplicationContext application = start(redis)) {
                application.getBean(Till.class).buy();
            }
            assertThat(output.getOut()).contains(" INFO ").doesNotContain(" WARN ", " ERROR ");
            assertThat(output.getErr()).doesNotContain("WARN", "SEVERE");
        }
    }

    @Test
    void logsNoErrorAtTheEndWithWaitersDuringAnOutage(CapturedOutput output) throws Exception {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes")) {
            String brief = "spring.lifecycle.timeout-per-shutdown-phase=100ms"; // nothing releases these locks
            try (ConfigurableApplicationContext application = start(redis, brief)) {
                hold(application.getBean(LockClient.class), 5);
            }
            try (ConfigurableApplicationContext application = start(redis, brief, "boltwork.shutdown-time=1s")) {
                LockClient locks = application.getBean(LockClient.class);
                hold(locks, 5);
                redis.kill();
                Await.until("the client notices the outage", () -> !locks.isConnected());
            }
            start(redis).close();
            assertThat(output.getOut()).contains(" INFO ").doesNotContain(" ERROR ");
        }
    }

    /** Some locks are held when the application ends, and each has waiters. */
    private static void hold(LockClient locks, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            locks.lock("held:" + i).acquireAsync().toCompletableFuture().get(20, TimeUnit.SECONDS);
            locks.lock("held:" + i).acquireAsync();
        }
    }

    private static ConfigurableApplicationContext start(RedisServer redis, String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port())
                .properties("spring.data.redis.client-type=lettuce") // the tests have Jedis, too
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @Bean
        Till till() {
            return new Till();
        }
    }

    static class Till {
        @DistributedLock("buy")
        public String buy() {
            return "bought";
        }

        @DistributedLock(name = "buy", mode = LockMode.TRY)
        public String tryBuy() {
            return "bought";
        }
    }
}
