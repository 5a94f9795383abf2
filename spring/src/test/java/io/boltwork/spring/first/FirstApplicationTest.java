// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.first;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The first application of docs/start/spring.md does what the page says. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class FirstApplicationTest {
    private final HttpClient http = HttpClient.newHttpClient();
    private String address;

    @SpringBootApplication
    static class Shop {}

    @Test
    void aLockIsSeenMeasuredAndTakenAway() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = new SpringApplicationBuilder(Shop.class)
                        .properties(
                                "spring.config.name=first", "spring.config.location=classpath:/docs/", "server.port=0")
                        .run("--spring.data.redis.port=" + redis.port())) {
            address = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
            CompletableFuture<HttpResponse<String>> buyer =
                    http.sendAsync(request("POST", "/buy/1001"), HttpResponse.BodyHandlers.ofString());
            LockClient locks = application.getBean(LockClient.class);
            Await.until("a buyer has the lock", () -> locks.lock("stock:1001").isLocked());
            assertThat(send("POST", "/buy/1001").statusCode()).as("refused").isEqualTo(423);
            assertThat(send("GET", "/actuator/locks/stock:1001").body()).contains("\"holders\":[{");
            assertThat(send("DELETE", "/actuator/locks/stock:1001").body())
                    .isEqualTo("{\"name\":\"stock:1001\",\"released\":true}");
            assertThat(buyer.get().statusCode()).as("lost").isEqualTo(409);
            assertThat(send("GET", "/actuator/prometheus").body())
                    .contains("boltwork_lock_acquired_total{group=\"stock\",kind=\"lock\",outcome=\"refused\"} 1.0")
                    .contains("boltwork_lock_lost_total{group=\"stock\",kind=\"lock\",reason=\"taken\"} 1.0");
        }
    }

    private HttpRequest request(String method, String path) {
        return HttpRequest.newBuilder(URI.create(address + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return http.send(request(method, path), HttpResponse.BodyHandlers.ofString());
    }
}
