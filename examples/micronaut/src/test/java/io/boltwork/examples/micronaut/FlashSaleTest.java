// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Task;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Buyers over HTTP and another client of Boltwork compete for the same items. */
class FlashSaleTest {
    private static final int ITEMS = 20;
    private static final int BUYERS = 4;

    private static RedisServer redis;
    private static EmbeddedServer server;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        server = ApplicationContext.run(
                EmbeddedServer.class, Map.of("boltwork.redis.uri", redis.uri(), "micronaut.server.port", "-1"));
    }

    @AfterAll
    static void stop() {
        server.close();
        redis.close();
    }

    private String send(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.getURI().resolve(path))
                .method(method, BodyPublishers.noBody())
                .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }

    @Test
    void nothingIsSoldTwice() throws Exception {
        send("PUT", "/sale/1001/" + ITEMS);
        List<Task<Integer>> buyers = new ArrayList<>();
        for (int i = 0; i < BUYERS; i++) {
            buyers.add(Task.start("buyer " + i, () -> {
                int bought = 0;
                while (send("POST", "/sale/1001").equals("sold")) {
                    bought++;
                }
                return bought;
            }));
        }
        Stock stock = server.getApplicationContext().getBean(Stock.class);
        try (LockClient elsewhere = LockClient.create(RedisBackend.connect(redis.uri()))) {
            int bought = 0;
            FencedLock lock = elsewhere.lock("stock:1001");
            boolean sold = true;
            while (sold) {
                lock.lock();
                try {
                    int left = stock.left("1001");
                    sold = left > 0;
                    if (sold) {
                        stock.set("1001", left - 1);
                        bought++;
                    }
                } finally {
                    lock.unlock();
                }
            }
            for (Task<Integer> buyer : buyers) {
                bought += buyer.get();
            }
            assertThat(bought).isEqualTo(ITEMS);
        }
        assertThat(send("GET", "/sale/1001")).isEqualTo("0");
    }

    @Test
    void theLocksAreHealthy() throws Exception {
        assertThat(send("GET", "/health/readiness")).contains("\"locks\":", "\"usable\":true");
    }
}
