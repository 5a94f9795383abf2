// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.RedisOptionsCustomizer;
import io.boltwork.spring.actuate.LocksEndpoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The properties shown in docs/start/spring.md are valid. */
class PropertiesInDocsTest {

    @Test
    void groupsAndActuator() {
        try (ConfigurableApplicationContext application = start("groups,actuator", "boltwork.backend=memory")) {
            Reports reports = application.getBean(Reports.class);
            reports.report();
            reports.report();
            assertThat(reports.made()).as("runs without locks").isEqualTo(2);
            assertThat(application.getBean(LocksEndpoint.class)).isNotNull();
            assertThat(application.getBean(LockClient.class).lock("report").isLocked())
                    .isFalse();
        }
    }

    @Test
    void sentinels() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> start("server", "REDIS_PASSWORD=s3cret", "boltwork.redis.lazy-connect=false"))
                .satisfies(failure -> assertThat(failure)
                        .hasStackTraceContaining(BackendException.class.getName())
                        .hasStackTraceContaining("host1")
                        .satisfies(
                                all -> assertThat(Throwables.getStackTrace(all)).doesNotContain("s3cret")));
    }

    @Test
    void defaults() {
        try (ConfigurableApplicationContext application = start("defaults", "boltwork.backend=memory")) {
            Duration remaining = application
                    .getBean(LockTemplate.class)
                    .<Duration, RuntimeException>execute("stock", lease -> lease.remaining());
            assertThat(remaining).isBetween(Duration.ofMillis(1), Duration.ofSeconds(10));
        }
    }

    @Test
    void customizers() throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(
                        ShopApplication.class, Customizers.class)
                .web(WebApplicationType.NONE)
                .properties("spring.config.location=classpath:docs/", "spring.config.name=defaults")
                .properties("spring.main.banner-mode=off", "spring.datasource.url=jdbc:h2:mem:docs")
                .properties("boltwork.backend=memory")
                .run()) {
            assertThat(application
                            .getBean(LockTemplate.class)
                            .executeAsync(
                                    "stock",
                                    lease -> CompletableFuture.completedFuture(
                                            Thread.currentThread().getName()))
                            .get(10, TimeUnit.SECONDS))
                    .as("on the application's executor")
                    .startsWith("task-");
            assertThat(application.getBean(RedisOptionsCustomizer.class).customize(RedisOptions.defaults()))
                    .asString()
                    .contains("idleLife=PT24H");
        }
    }

    private static ConfigurableApplicationContext start(String files, String... properties) {
        return new SpringApplicationBuilder(ShopApplication.class)
                .web(WebApplicationType.NONE)
                .properties("spring.config.location=classpath:docs/", "spring.config.name=" + files)
                .properties("spring.main.banner-mode=off", "spring.datasource.url=jdbc:h2:mem:docs")
                .properties(properties)
                .run();
    }
}
