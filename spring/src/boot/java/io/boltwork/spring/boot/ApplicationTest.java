// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnRefused;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.PriorityOrdered;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application without a web server, with the libraries that its Spring Boot manages. */
class ApplicationTest {
    private static RedisServer redis;
    private static ConfigurableApplicationContext application;
    private static LockClient locks;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        application = run("spring.data.redis.port=" + redis.port());
        locks = application.getBean(LockClient.class);
    }

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    @Test
    void versionsAreThoseOfSpringBoot() throws IOException {
        String boot = SpringBootVersion.getVersion();
        assertThat(boot).isEqualTo(System.getProperty("boltwork.springBoot"));
        String lettuce = version("io.lettuce", "lettuce-core");
        String netty = version("io.netty", "netty-common");
        assertThat(lettuce).isEqualTo(System.getProperty("boltwork.lettuce"));
        assertThat(netty).isEqualTo(System.getProperty("boltwork.netty"));
        if (boot.startsWith("3.")) {
            assertThat(Files.readString(Path.of("..", "..", "docs", "start", "spring.md")))
                    .contains("<lettuce.version>" + lettuce + "</lettuce.version>")
                    .contains("<netty.version>" + netty + "</netty.version>");
        } else {
            assertThat(Files.readString(Path.of("..", "..", "pom.xml")))
                    .as("the version that the starter is compiled with")
                    .contains("<spring-boot.version>" + boot + "</spring-boot.version>");
        }
    }

    /** Returns the version of a library that is on the class path. */
    private static String version(String group, String artifact) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = ApplicationTest.class.getResourceAsStream(
                "/META-INF/maven/" + group + "/" + artifact + "/pom.properties")) {
            properties.load(in);
        }
        return properties.getProperty("version");
    }

    @Test
    void annotationAndTemplateLock() throws Exception {
        Till till = application.getBean(Till.class);
        assertThat(till.buy("1001", null)).isPositive();
        assertThat(till.later("1001").get(5, TimeUnit.SECONDS)).isEqualTo("held");
        FencedLock stock = locks.lock("stock:1001");
        try (Lease lease = stock.acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            assertThat(lease.isValid()).isTrue();
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> till.buy("1001", null));
        }
        assertThat(application.getBean(LockTemplate.class).execute("stock:1001", () -> stock.isHeldByCurrentThread()))
                .isTrue();
        assertThat(stock.isLocked()).isFalse();
    }

    @Test
    void readersWritersAndPermitsWork() throws Exception {
        Prices prices = application.getBean(Prices.class);
        try (Lease reading = locks.readWriteLock("prices")
                .readLock()
                .acquireAsync()
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS)) {
            assertThat(prices.read()).isPositive();
            assertThatExceptionOfType(LockRefusedException.class)
                    .isThrownBy(prices::write)
                    .withMessageContaining("write lock 'prices'");
            assertThat(reading.isValid()).isTrue();
        }
        assertThat(prices.write()).isPositive();
        LeasedSemaphore uploads = locks.semaphore("uploads", 2);
        try (Lease one = uploads.acquire()) {
            assertThat(prices.upload()).as("during an upload").isZero();
            try (Lease another = uploads.acquire()) {
                assertThat(another.isValid()).isTrue();
                assertThatExceptionOfType(LockRefusedException.class).isThrownBy(prices::upload);
            }
            assertThat(one.isValid()).isTrue();
        }
        assertThat(uploads.availablePermits()).isEqualTo(2);
    }

    @Test
    void mergedAnnotationsFallbacksAndCurrentLeaseWork() throws Exception {
        Desk desk = application.getBean(Desk.class);
        assertThat(desk.held("7")).isEqualTo("desk:7");
        assertThat(desk.toString()).isEqualTo("desk");
        try (Lease lease =
                locks.lock("desk:7").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(desk.held("7")).isEqualTo("busy desk:7");
        }
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> new SpringApplicationBuilder(App.class, TooEarly.class)
                        .web(WebApplicationType.NONE)
                        .run("--spring.main.banner-mode=off", "--boltwork.backend=memory"))
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining("before proxies were available"));
    }

    @Test
    void mistakesStopTheApplication() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> run("boltwork.backend=memory", "boltwork.slice=2s"))
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining("boltwork.slice"));
    }

    @Test
    void applicationsOwnRedisWorksBesideBoltwork() {
        StringRedisTemplate template = application.getBean(StringRedisTemplate.class);
        template.opsForValue().set("left", "10");
        assertThat(template.opsForValue().get("left")).isEqualTo("10");
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {
        @Bean
        RedisConnectionFactory cache() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port()));
        }
    }

    @Test
    void locksAreWhereTheApplicationsConnectionsGo() {
        try (ConfigurableApplicationContext other = new SpringApplicationBuilder(App.class, OwnFactory.class)
                        .web(WebApplicationType.NONE)
                        .run("--spring.main.banner-mode=off", "--spring.data.redis.port=1");
                Lease lease = other.getBean(LockClient.class).lock("where").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(locks.lock("where").isLocked()).isTrue();
        }
    }

    @Test
    void meters() {
        MeterRegistry meters = application.getBean(MeterRegistry.class);
        locks.lock("counted:1").acquire().release();
        Await.until(
                "counted",
                () -> meters.find("boltwork.lock.acquired")
                                .tag("group", "counted")
                                .counter()
                        != null);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void unknownPropertiesStopTheApplicationAndShowNoPassword(CapturedOutput output) {
        for (String setting : List.of(
                "boltwork.redis.host=s3cr3t",
                "boltwork.redis.uri=http://u:s3cr3t@h",
                "boltwork.lock.server.address=u:s3cr3t@${absent}",
                "boltwork.lock.names.stokc.wait-for=1s")) {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> run(setting))
                    .satisfies(failure ->
                            assertThat(failure).hasStackTraceContaining(setting.replaceAll("(\\.wait-for)?=.*", ": ")));
        }
        assertThat(output)
                .contains("The nearest one is boltwork.redis.uri.", "The nearest one is boltwork.lock.names.stock.")
                .doesNotContain("s3cr3t");
    }

    /** Spring Boot 3 has its health classes in other packages. */
    @Test
    void healthIsThatOfSpringBoot4() {
        assertThat(application.containsBean("boltworkLocksHealthIndicator"))
                .isEqualTo(SpringBootVersion.getVersion().startsWith("4."));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Till.class, Desk.class, Prices.class})
    static class App {}

    @DistributedLock(name = "desk", keys = "#item", onRefused = OnRefused.FALLBACK, fallback = "busy")
    static class Desk {

        @DistributedLock(mode = LockMode.TRY)
        public String held(String item) {
            return CurrentLease.get().lockName();
        }

        public String busy(String item, LockRefusedException refused) {
            return "busy " + refused.lockName();
        }

        @Override
        public String toString() {
            return CurrentLease.find().map(Lease::lockName).orElse("desk");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        @Bean
        static Processor processor(Desk desk) {
            return new Processor(desk);
        }

        record Processor(Desk desk) implements BeanPostProcessor, PriorityOrdered {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    static class Prices {
        private final LockClient locks;

        Prices(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock(name = "prices", type = LockType.READ, mode = LockMode.TRY)
        public long read() {
            return CurrentLease.get().fencingToken();
        }

        @DistributedLock(name = "prices", type = LockType.WRITE, mode = LockMode.TRY)
        public long write() {
            return CurrentLease.get().fencingToken();
        }

        /** Returns how many permits are free meanwhile. */
        @DistributedLock(name = "uploads", permits = 2, mode = LockMode.TRY)
        public int upload() {
            return locks.semaphore("uploads", 2).availablePermits();
        }
    }

    static class Till {
        private final LockClient locks;

        Till(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public long buy(String item, Lease lease) {
            return lease.fencingToken();
        }

        @DistributedLock("stock:#{#item}")
        public CompletableFuture<String> later(String item) {
            return CompletableFuture.completedFuture(locks.lock("stock:" + item).isLocked() ? "held" : "free");
        }
    }
}
