// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the endpoint and the answers of controllers over HTTP. */
@ExtendWith(OutputCaptureExtension.class)
public class LocksEndpointTest {
    private static final String LOCKS = "/actuator/locks";
    private static final HttpClient HTTP = HttpClient.newHttpClient();
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
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.application.name=shop",
                        "management.endpoints.web.exposure.include=locks")
                .properties(properties)
                .run();
    }

    @Test
    void endpointIsReadOnlyUnlessAllowed() throws Exception {
        try (ConfigurableApplicationContext plain = start("boltwork.backend=memory")) {
            assertThat(send(plain, "GET", LOCKS).statusCode()).isEqualTo(200);
            assertThat(send(plain, "DELETE", LOCKS + "/x").statusCode()).isEqualTo(405);
            assertThat(send(plain, "DELETE", LOCKS + "?name=x").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void endpointIsAbsentUnlessExposed() throws Exception {
        try (ConfigurableApplicationContext plain =
                start("boltwork.backend=memory", "management.endpoints.web.exposure.include=health")) {
            assertThat(send(plain, "GET", LOCKS).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void refusesInvalidParameters() throws Exception {
        try (Lease lease = hold("bad")) {
            for (String wrong : List.of(
                    "limit=0",
                    "limit=-1",
                    "limit=many",
                    "kind=",
                    "kind=latch",
                    "name=bad&kind=none",
                    "name=",
                    "name=" + "x".repeat(1_025))) {
                assertThat(send("GET", LOCKS + "?" + wrong).statusCode())
                        .as(wrong)
                        .isEqualTo(400);
            }
            for (String wrong : List.of("", "0", "-1", "all")) {
                String query = "?fencingToken=" + wrong;
                assertThat(send("DELETE", LOCKS + "/bad" + query).statusCode())
                        .as(query)
                        .isEqualTo(400);
            }
            assertThat(send("DELETE", LOCKS).statusCode()).isEqualTo(400);
            assertThat(send("DELETE", LOCKS + "/bad?kind=").statusCode()).isEqualTo(400);
            assertThat(send("DELETE", LOCKS + "/bad?kind=latch").statusCode()).isEqualTo(400);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void answers404ForAnUnknownLock() throws Exception {
        assertThat(send("GET", LOCKS + "/never").statusCode()).isEqualTo(404);
        assertThat(send("GET", LOCKS + "?name=never").statusCode()).isEqualTo(404);
        assertThat(send("DELETE", LOCKS + "/never").statusCode()).isEqualTo(404);
    }

    @Test
    void listsAtMostItsLimit() throws Exception {
        List<Lease> held = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 1_001; i++) {
            held.add(hold("many:" + i));
        }
        JsonNode all = json(send("GET", LOCKS + "?pattern=many:*&limit=5000"));
        assertThat(all.get("locks").size()).isEqualTo(1_000);
        assertThat(all.get("complete").asBoolean()).isFalse();
        held.remove(0).release();
        all = json(send("GET", LOCKS + "?pattern=many:*&limit=1000"));
        assertThat(all.get("locks").size()).isEqualTo(1_000);
        assertThat(all.get("complete").asBoolean()).isTrue();
        held.forEach(Lease::release);
    }

    @Test
    void namesHolderAndThreadAndCountsLocalWaiters() throws Exception {
        try (Lease lease = hold("a/b:1")) {
            var first = locks.lock("a/b:1").acquireAsync().toCompletableFuture();
            var second = locks.lock("a/b:1").acquireAsync().toCompletableFuture();
            Await.until(
                    "two callers wait", () -> locks.inspector().local("a/b:1").waiting() == 2);
            JsonNode lock = json(send("GET", LOCKS + "?name=a/b:1"));
            JsonNode holder = lock.get("holders").get(0);
            assertThat(lock.get("waitingHere").asInt()).isEqualTo(2);
            assertThat(holder.get("application").asString()).isEqualTo("shop");
            assertThat(holder.get("host").asString()).isNotBlank();
            assertThat(holder.get("pid").asLong())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat(holder.get("client").asString()).isNotBlank().doesNotContain(":", "@");
            assertThat(holder.get("threads").get(0).asString())
                    .isEqualTo(Thread.currentThread().getName());
            assertThat(holder.get("fencingToken").asLong()).isPositive().isLessThanOrEqualTo(lease.fencingToken());
            JsonNode line =
                    json(send("GET", LOCKS + "?pattern=a/*")).get("locks").get(0);
            assertThat(line.get("name").asString()).isEqualTo("a/b:1");
            assertThat(line.get("waitingHere").asInt()).isEqualTo(2);
            first.cancel(true);
            second.cancel(true);
        }
    }

    @Test
    void showsAndTakesLocksOfOtherKinds() throws Exception {
        Audit audit = application.getBean(Audit.class);
        LeasedSemaphore semaphore = locks.semaphore("uploads", 3);
        Lease two = semaphore.acquire(2);
        Lease one = semaphore.acquire();
        assertThat(send("GET", LOCKS + "/uploads").statusCode())
                .as("a plain lock")
                .isEqualTo(404);
        JsonNode lock = json(send("GET", LOCKS + "/uploads?kind=semaphore"));
        assertThat(lock.get("kind").asString()).isEqualTo("SEMAPHORE");
        assertThat(lock.get("capacity").asInt()).isEqualTo(3);
        assertThat(lock.get("holders").size()).isEqualTo(2);
        JsonNode first = lock.get("holders").get(0);
        assertThat(first.get("access").asString()).isEqualTo("PERMITS");
        assertThat(first.get("permits").asInt()).isEqualTo(2);
        assertThat(first.get("remainingMillis").asLong()).isPositive();
        assertThat(first.get("threads").get(0).asString())
                .isEqualTo(Thread.currentThread().getName());
        JsonNode lines = json(send("GET", LOCKS + "?pattern=uploads")).get("locks");
        assertThat(lines.size()).isEqualTo(1);
        assertThat(lines.get(0).get("kind").asString()).isEqualTo("SEMAPHORE");
        assertThat(lines.get(0).get("holders").asInt()).isEqualTo(2);
        assertThat(lines.get(0).get("permits").asInt()).isEqualTo(3);
        assertThat(json(send("GET", LOCKS + "?pattern=uploads&kind=lock"))
                        .get("locks")
                        .size())
                .isZero();
        String path = LOCKS + "/uploads?kind=SEMAPHORE&fencingToken=";
        assertThat(json(send("DELETE", path + one.fencingToken()))
                        .get("released")
                        .asBoolean())
                .isTrue();
        assertThat(one.isValid()).isFalse();
        assertThat(two.isValid()).isTrue();
        assertThat(audit.events.get(audit.events.size() - 1).getData()).containsEntry("kind", "SEMAPHORE");
        two.release();
    }

    @Test
    void forcedReleaseIsLoggedWithTheUser(CapturedOutput output) throws Exception {
        Audit audit = application.getBean(Audit.class);
        String path = LOCKS + "?name=forced/1";
        Lease lease = hold("forced/1");
        assertThat(json(send("DELETE", path + "&fencingToken=1"))
                        .get("released")
                        .asBoolean())
                .isFalse();
        assertThat(lease.isValid()).isTrue();
        assertThat(json(send("DELETE", path)).get("released").asBoolean()).isTrue();
        assertThat(locks.lock("forced/1").isLocked()).isFalse();
        AuditEvent event = audit.events.get(audit.events.size() - 1);
        assertThat(event.getType()).isEqualTo("LOCK_FORCE_RELEASE");
        assertThat(event.getPrincipal()).isEqualTo("alice");
        assertThat(event.getData()).containsEntry("lock", "forced/1").containsEntry("released", true);
        assertThat(event.getData().get("holder").toString()).contains("shop@");
        assertThat(output.getOut()).contains("The lock 'forced/1' was taken away from its holder by the user 'alice'");
        int told = audit.events.size();
        send("DELETE", LOCKS + "?name=forced%0A1");
        assertThat(audit.events).as("no event for an unknown lock").hasSize(told);
    }

    @Test
    void answers503WhileRedisIsDown() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = start(
                        "spring.data.redis.port=" + redis.port(), "management.endpoint.locks.access=unrestricted")) {
            redis.kill();
            Await.until(
                    "the client notices the outage",
                    () -> !application.getBean(LockClient.class).isConnected());
            assertThat(send(application, "GET", LOCKS).statusCode()).isEqualTo(503);
            assertThat(send(application, "GET", LOCKS + "/x").body()).contains("\"error\"");
            assertThat(send(application, "DELETE", LOCKS + "/x").statusCode()).isEqualTo(503);
            HttpResponse<String> unavailable = send(application, "GET", "/taken");
            assertThat(unavailable.statusCode()).isEqualTo(503);
            assertThat(unavailable.headers().firstValue("Retry-After")).hasValue("5");
            assertThat(unavailable.body()).doesNotContain("127.0.0.1");
        }
    }

    @Test
    void answers423IfALockIsRefused() throws Exception {
        try (Lease lease = hold("taken")) {
            HttpResponse<String> refused = send("GET", "/taken");
            assertThat(refused.statusCode()).isEqualTo(423);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(send("GET", "/taken").statusCode()).isEqualTo(200);
    }

    private static Lease hold(String name) throws Exception {
        return locks.lock(name).acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    private static JsonNode json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static HttpResponse<String> send(String method, String path) throws Exception {
        return send(application, method, path);
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext application, String method, String path)
            throws Exception {
        URI uri =
                URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path);
        return HTTP.send(
                HttpRequest.newBuilder(uri)
                        .header("X-User", "alice")
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @Bean
        Audit audit() {
            return new Audit();
        }

        @Bean
        Desk desk(LockTemplate locks) {
            return new Desk(locks);
        }

        /** Adds a user to each request, as a security filter does. */
        @Bean
        Filter users() {
            return (request, response, chain) -> chain.doFilter(new Known((HttpServletRequest) request), response);
        }
    }

    static final class Known extends HttpServletRequestWrapper {
        Known(HttpServletRequest request) {
            super(request);
        }

        @Override
        public Principal getUserPrincipal() {
            String name = getHeader("X-User");
            return () -> name;
        }
    }

    static class Audit {
        final List<AuditEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void heard(AuditApplicationEvent event) {
            events.add(event.getAuditEvent());
        }
    }

    @RestController
    static class Desk {
        private final LockTemplate locks;

        Desk(LockTemplate locks) {
            this.locks = locks.withWait(java.time.Duration.ZERO);
        }

        @GetMapping("/taken")
        String taken() {
            return locks.execute("taken", () -> "done");
        }
    }
}
