// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.spring.actuate.LocksEndpointTest;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests an application with WebFlux over HTTP. */
public class WebFluxTest {
    private static ConfigurableApplicationContext application;
    private static LockClient locks;

    @BeforeAll
    static void start() {
        application = start("boltwork.backend=memory", "management.endpoint.locks.access=unrestricted");
        locks = application.getBean(LockClient.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=locks,health")
                .properties(properties)
                .run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mono", "flux", "future", "plain", "template", "functional"})
    void lockIsHeldDuringTheWork(String kind) throws Exception {
        assertThat(application).isInstanceOf(ReactiveWebServerApplicationContext.class);
        HttpResponse<String> done = send("GET", "/" + kind + "/1");
        assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
        assertThat(done.body()).contains("held");
        Await.until("the lock is released", () -> !locks.lock("stock:1").isLocked());
    }

    @ParameterizedTest
    @ValueSource(strings = {"mono", "flux", "future", "plain", "template", "functional"})
    void refusedLockIs423(String kind) throws Exception {
        try (Lease lease =
                locks.lock("stock:2").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            HttpResponse<String> refused = send("GET", "/" + kind + "/2");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(423);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(refused.body()).doesNotContain("stock");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mono", "flux", "future", "plain", "template", "functional"})
    void tooLongNameIs400(String kind) throws Exception {
        HttpResponse<String> invalid = send("GET", "/" + kind + "/" + "x".repeat(1_100));
        assertThat(invalid.statusCode()).as(invalid.body()).isEqualTo(400);
        assertThat(invalid.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(invalid.body()).contains("too long").doesNotContain("stock", "Stock");
    }

    @Test
    void unavailableBackendIs503() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = start("spring.data.redis.port=" + redis.port())) {
            redis.kill();
            Await.until(
                    "the client notices the outage",
                    () -> !application.getBean(LockClient.class).isConnected());
            for (String kind : new String[] {"mono", "flux", "future", "plain", "template", "functional"}) {
                HttpResponse<String> unavailable = send(application, "GET", "/" + kind + "/3");
                assertThat(unavailable.statusCode())
                        .as(kind + unavailable.body())
                        .isEqualTo(503);
                assertThat(unavailable.headers().firstValue("Retry-After")).hasValue("5");
                assertThat(unavailable.body()).doesNotContain("127.0.0.1", "localhost");
            }
            assertThat(send(application, "GET", "/actuator/locks").statusCode()).isEqualTo(503);
            assertThat(send(application, "GET", "/actuator/health").statusCode())
                    .isEqualTo(503);
        }
    }

    /** Tests only what depends on WebFlux. {@link LocksEndpointTest} tests the endpoint itself. */
    @Test
    void endpointAnswersAsInServletApplications() throws Exception {
        try (Lease lease =
                locks.lock("a/b").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            assertThat(send("GET", "/actuator/locks?name=a/b").body()).contains("\"waitingHere\":0");
            assertThat(send("DELETE", "/actuator/locks?name=a/b&fencingToken=").statusCode())
                    .isEqualTo(400);
            assertThat(lease.isValid()).isTrue();
            assertThat(send("DELETE", "/actuator/locks?name=a/b").body()).contains("\"released\":true");
            Await.until("the loss is known", () -> !lease.isValid());
        } catch (io.boltwork.LeaseLostException taken) {
            assertThat(taken).hasMessageContaining("a/b");
        }
    }

    /** A request releases its lock when its client has disconnected. */
    @Test
    void cancelledRequestReleasesItsLock() throws Exception {
        CompletableFuture<HttpResponse<String>> cut =
                http().sendAsync(request(application, "GET", "/endless/4"), HttpResponse.BodyHandlers.ofString());
        Await.until("the lock is held", () -> locks.lock("stock:4").isLocked());
        cut.cancel(true);
        Await.until("the lock is released", () -> !locks.lock("stock:4").isLocked());
    }

    /**
     * Returns a client with its own connections. On some kernels, Netty's native transport sometimes leaves a later
     * request of a connection unread if a method returns a future.
     */
    private static HttpClient http() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        return send(application, method, path);
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext application, String method, String path)
            throws Exception {
        return http().send(request(application, method, path), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest request(ConfigurableApplicationContext application, String method, String path) {
        return HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path))
                .timeout(Slack.seconds(30))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @Bean
        Stock stock(LockClient locks) {
            return new Stock(locks);
        }

        @Bean
        Desk desk(Stock stock, LockTemplate locks) {
            return new Desk(stock, locks);
        }

        @Bean
        RouterFunction<ServerResponse> functional(Stock stock) {
            return RouterFunctions.route()
                    .GET(
                            "/functional/{item}",
                            request -> stock.mono(request.pathVariable("item"))
                                    .flatMap(text -> ServerResponse.ok().bodyValue(text)))
                    .build();
        }
    }

    static class Stock {
        private final LockClient locks;

        Stock(LockClient locks) {
            this.locks = locks;
        }

        private String state(String item) {
            return locks.lock("stock:" + item).isLocked() ? "held" : "free";
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public Mono<String> mono(String item) {
            return Mono.fromSupplier(() -> state(item));
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public Flux<String> flux(String item) {
            return Flux.just(1, 2).map(number -> state(item));
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public CompletableFuture<String> future(String item) {
            return CompletableFuture.supplyAsync(() -> state(item));
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public String plain(String item) {
            return locks.lock("stock:" + item).isHeldByCurrentThread() ? "held" : "free";
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY)
        public Flux<String> endless(String item) {
            return Flux.never();
        }
    }

    @RestController
    static class Desk {
        private final Stock stock;
        private final LockTemplate locks;

        Desk(Stock stock, LockTemplate locks) {
            this.stock = stock;
            this.locks = locks.withWait(java.time.Duration.ZERO);
        }

        @GetMapping("/mono/{item}")
        Mono<String> mono(@PathVariable("item") String item) {
            return stock.mono(item);
        }

        @GetMapping("/flux/{item}")
        Flux<String> flux(@PathVariable("item") String item) {
            return stock.flux(item);
        }

        @GetMapping("/future/{item}")
        CompletableFuture<String> future(@PathVariable("item") String item) {
            return stock.future(item);
        }

        @GetMapping("/plain/{item}")
        String plain(@PathVariable("item") String item) {
            return stock.plain(item);
        }

        @GetMapping("/template/{item}")
        Mono<String> template(@PathVariable("item") String item) {
            return Mono.fromFuture(() -> locks.executeAsync(
                    "stock:" + item, lease -> CompletableFuture.completedFuture(lease.isValid() ? "held" : "free")));
        }

        @GetMapping("/endless/{item}")
        Flux<String> endless(@PathVariable("item") String item) {
            return stock.endless(item);
        }
    }
}
