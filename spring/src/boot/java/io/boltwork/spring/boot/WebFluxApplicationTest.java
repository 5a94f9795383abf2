// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An application with WebFlux, and without Spring MVC. */
@ExtendWith(OutputCaptureExtension.class)
class WebFluxApplicationTest {

    @Test
    void locksAreHeldAndRefused() throws Exception {
        try (ConfigurableApplicationContext application = run("boltwork.backend=memory")) {
            LockClient locks = application.getBean(LockClient.class);
            assertThat(HttpRequests.get(application, "/mono/1").body()).isEqualTo("held");
            assertThat(HttpRequests.get(application, "/flux/1").body()).isEqualTo("heldheld");
            Await.until("the lock is released", () -> !locks.lock("stock:1").isLocked());
            try (Lease lease =
                    locks.lock("stock:2").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
                for (String path : new String[] {"/mono/2", "/flux/2"}) {
                    HttpResponse<String> refused = HttpRequests.get(application, path);
                    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(423);
                    assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
                }
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void unavailableBackendIs503() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = run("spring.data.redis.port=" + redis.port())) {
            assertThat(HttpRequests.get(application, "/mono/3").statusCode()).isEqualTo(200);
            redis.kill();
            Await.until(
                    "the client notices the outage",
                    () -> !application.getBean(LockClient.class).isConnected());
            for (String path : new String[] {"/mono/3", "/flux/3"}) {
                HttpResponse<String> unavailable = HttpRequests.get(application, path);
                assertThat(unavailable.statusCode()).as(unavailable.body()).isEqualTo(503);
                assertThat(unavailable.headers().firstValue("Retry-After")).hasValue("5");
            }
        }
    }

    @Test
    void defaultsAndUnits() {
        try (ConfigurableApplicationContext application =
                run("boltwork.backend=memory", "boltwork.lock.renewed-lease=9s")) {
            assertThat(application
                            .getBean(LockTemplate.class)
                            .<Duration, RuntimeException>execute("stock", lease -> lease.remaining()))
                    .isLessThanOrEqualTo(Duration.ofSeconds(9));
        }
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> run("boltwork.backend=memory", "boltwork.lock.wait-for=5"))
                .satisfies(failure -> assertThat(failure)
                        .hasStackTraceContaining("boltwork.lock.wait-for")
                        .hasStackTraceContaining("5s"));
    }

    @Test
    void noWarningAndNoErrorFromStartToEnd(CapturedOutput output) throws Exception {
        try (RedisServer redis = RedisServer.start("--appendonly", "yes");
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()));
                Lease taken = other.lock("taken").acquire()) {
            ConfigurableApplicationContext application = run("spring.data.redis.port=" + redis.port());
            LockClient locks = application.getBean(LockClient.class);
            Await.until("three calls wait", () -> locks.waiting() == 3);
            ScheduledThreadPoolExecutor scheduler =
                    application.getBean(ThreadPoolTaskScheduler.class).getScheduledThreadPoolExecutor();
            application.close();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(taken.isValid()).isTrue();
        }
        assertThat(output.getOut()).contains(" INFO ").doesNotContain(" WARN ", " ERROR ");
    }

    private static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.reactor.netty.shutdown-quiet-period=0s",
                        "spring.task.scheduling.pool.size=4",
                        "spring.lifecycle.timeout-per-shutdown-phase=1s")
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({Stock.class, Desk.class, ReactiveServer.class})
    static class App {}

    static class Stock {
        private final LockClient locks;

        Stock(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public Mono<String> mono(String item) {
            return Mono.fromSupplier(() -> locks.lock("stock:" + item).isLocked() ? "held" : "free");
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public Flux<String> flux(String item) {
            return Flux.just(1, 2).map(number -> locks.lock("stock:" + item).isLocked() ? "held" : "free");
        }

        @Scheduled(fixedDelay = 1_000)
        @DistributedLock("taken")
        public void waiting() {}

        @Scheduled(fixedDelay = 1_000)
        @DistributedLock("taken")
        public void waitingForInterrupts() throws InterruptedException {
            new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
        }

        @Scheduled(fixedDelay = 1_000)
        @DistributedLock("taken")
        public Mono<String> reactive() {
            return Mono.just("done");
        }
    }

    @RestController
    static class Desk {
        private final Stock stock;

        Desk(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/mono/{item}")
        Mono<String> mono(@PathVariable("item") String item) {
            return stock.mono(item);
        }

        @GetMapping("/flux/{item}")
        Flux<String> flux(@PathVariable("item") String item) {
            return stock.flux(item);
        }
    }
}
