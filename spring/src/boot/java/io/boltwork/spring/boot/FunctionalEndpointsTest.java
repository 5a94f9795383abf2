// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;
import reactor.core.publisher.Mono;

/** Functional endpoints answer as controllers do. */
class FunctionalEndpointsTest {

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void refusedLocksAndOutages(WebApplicationType type) throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = run(type, redis)) {
            LockClient locks = application.getBean(LockClient.class);
            for (String path : Desk.PATHS) {
                assertThat(HttpRequests.get(application, path).statusCode()).isEqualTo(200);
            }
            Await.until("the lock is free", () -> !locks.lock("stock").isLocked());
            Lease taken =
                    locks.lock("stock").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
            allAnswer(application, 423, "1");
            taken.release();
            redis.kill();
            Await.until("the client notices the outage", () -> !locks.isConnected());
            allAnswer(application, 503, "5");
        }
    }

    private static void allAnswer(ConfigurableApplicationContext application, int status, String retryAfter)
            throws Exception {
        String expected = HttpRequests.get(application, Desk.CONTROLLER).body().replace(Desk.CONTROLLER, "");
        for (String path : Desk.PATHS) {
            HttpResponse<String> response = HttpRequests.get(application, path);
            assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(status);
            assertThat(response.headers().firstValue("Retry-After")).hasValue(retryAfter);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(response.body().replace(path, "")).isEqualTo(expected);
        }
        assertThat(HttpRequests.get(application, "/broken").statusCode()).isEqualTo(500);
        if (application.containsBean("own")) {
            assertThat(HttpRequests.get(application, "/own").statusCode())
                    .as("the application's own handler")
                    .isEqualTo(409);
        }
    }

    private static ConfigurableApplicationContext run(WebApplicationType type, RedisServer redis) {
        return new SpringApplicationBuilder(App.class)
                .web(type)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.reactor.netty.shutdown-quiet-period=0s",
                        "boltwork.outage-patience=100ms",
                        "spring.data.redis.port=" + redis.port())
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Desk.class, ReactiveServer.class})
    static class App {

        @Bean
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        RouterFunction<ServerResponse> routes(Desk desk) {
            return org.springframework.web.servlet.function.RouterFunctions.route()
                    .GET("/function", request -> ServerResponse.ok().body(desk.now()))
                    .GET(
                            "/function/later",
                            request -> ServerResponse.async(desk.later()
                                    .thenApply(text -> ServerResponse.ok().body(text))))
                    .GET("/broken", request -> {
                        throw new IllegalArgumentException("not about locks");
                    })
                    .build();
        }

        @Bean
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        org.springframework.web.reactive.function.server.RouterFunction<?> reactiveRoutes(Desk desk) {
            return RouterFunctions.route()
                    .GET(
                            "/function",
                            request -> org.springframework.web.reactive.function.server.ServerResponse.ok()
                                    .bodyValue(desk.now()))
                    .GET(
                            "/function/later",
                            request -> Mono.fromCompletionStage(desk.later())
                                    .flatMap(
                                            text -> org.springframework.web.reactive.function.server.ServerResponse.ok()
                                                    .bodyValue(text)))
                    .GET(
                            "/own",
                            request -> org.springframework.web.reactive.function.server.ServerResponse.ok()
                                    .bodyValue(desk.now()))
                    .GET("/broken", request -> Mono.error(new IllegalArgumentException("not about locks")))
                    .build();
        }

        @Bean
        @Order(-2)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        WebExceptionHandler own() {
            return (exchange, failure) -> {
                if (!exchange.getRequest().getPath().value().equals("/own")) {
                    return Mono.error(failure);
                }
                exchange.getResponse().setStatusCode(HttpStatus.CONFLICT);
                return exchange.getResponse().setComplete();
            };
        }
    }

    @RestController
    static class Desk {
        static final String CONTROLLER = "/controller";
        static final String[] PATHS = {CONTROLLER, "/controller/later", "/function", "/function/later"};
        private final LockTemplate locks;

        Desk(LockTemplate locks) {
            this.locks = locks.withWait(Duration.ZERO);
        }

        @GetMapping(CONTROLLER)
        String now() {
            return locks.execute("stock", () -> "sold");
        }

        @GetMapping("/controller/later")
        CompletionStage<String> later() {
            return locks.executeAsync("stock", lease -> CompletableFuture.completedFuture("sold"));
        }
    }
}
