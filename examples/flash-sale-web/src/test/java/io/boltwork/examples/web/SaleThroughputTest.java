// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A thousand buyers come within five seconds, 50 ms each: the lock is never idle while it has waiters. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class SaleThroughputTest {
    private static final int BUYERS = 1_000;
    private static final int WARM_UPS = 20;
    private static final int VISITORS = 200;
    private static final List<String> ENDPOINTS =
            List.of("/lock-decrease-stock", "/trylock-decrease-stock", "/annotation-lock-decrease-stock");
    private static final Duration ARRIVAL = Duration.ofSeconds(5);

    private static TwoShops shops;

    @BeforeAll
    static void open() throws Exception {
        shops = new TwoShops("--sale.work=50ms");
        shops.open(0);
        for (int i = 0;
                i < WARM_UPS;
                i++) { // late buyers do not work, so many quick turns let the JVM compile the code
            for (String endpoint : ENDPOINTS) {
                for (CompletableFuture<HttpResponse<String>> late : shops.crowd(VISITORS, endpoint)) {
                    TwoShops.answer(late);
                }
            }
        }
    }

    @AfterAll
    static void close() {
        shops.close();
    }

    @ParameterizedTest
    @FieldSource("ENDPOINTS")
    void almostAllOfTheTimeIsWork(String endpoint) throws Exception {
        shops.open(BUYERS);
        double before = worked();
        long begun = System.nanoTime();
        for (CompletableFuture<HttpResponse<String>> buyer : arriving(endpoint)) {
            assertThat(TwoShops.answer(buyer).body()).isEqualTo("sold");
        }
        double elapsed = (System.nanoTime() - begun) / 1e9;
        double share = (worked() - before) / elapsed;
        System.out.printf(
                Locale.ROOT,
                "%s: %.1f buyers/s, %.2f %% of what their work allows%n",
                endpoint,
                BUYERS / elapsed,
                100 * share);
        assertThat(share).isGreaterThan(0.975);
        assertThat(shops.redis().command("GET", "sale:1001")).isEqualTo("0");
    }

    /** Sends the buyers evenly over the five seconds. */
    private static List<CompletableFuture<HttpResponse<String>>> arriving(String endpoint) {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        List<CompletableFuture<HttpResponse<String>>> buyers = new ArrayList<>();
        for (int i = 0; i < BUYERS; i++) {
            int buyer = i;
            CompletableFuture<HttpResponse<String>> answer = new CompletableFuture<>();
            buyers.add(answer);
            clock.schedule(
                    () -> shops.ask(buyer % 2, endpoint).whenComplete((response, failure) -> {
                        if (failure == null) {
                            answer.complete(response);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }),
                    ARRIVAL.toNanos() / BUYERS * i,
                    TimeUnit.NANOSECONDS);
        }
        clock.shutdown(); // scheduled tasks still run
        return buyers;
    }

    /** Returns the seconds of work under the lock, in both shops. */
    private static double worked() throws Exception {
        double micros = 0;
        for (int shop = 0; shop < 2; shop++) {
            micros += Long.parseLong(TwoShops.answer(shops.ask(shop, "/worked")).body());
        }
        return micros / 1e6;
    }
}
