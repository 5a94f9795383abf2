// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Redis dies during the sale. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class SaleOutageTest {
    private static final List<String> ENDPOINTS =
            List.of("/lock-decrease-stock", "/trylock-decrease-stock?wait=1", "/annotation-lock-decrease-stock");
    /* the wait or the patience, then a command for the stock and the release, whichever was in flight */
    private static final Duration BOUND = Slack.seconds(1 + 1 + 1 + 1);

    @Test
    void requestsFailWithinTheirWaitAndHealthIsDown() throws Exception {
        try (TwoShops shops = new TwoShops(
                "--sale.work=20ms",
                "--spring.data.redis.timeout=1s",
                "--boltwork.outage-patience=1s",
                "--boltwork.lock.names.stock.wait-for=1s")) {
            assertThat(health(shops, 0)).isEqualTo(200);
            assertThat(health(shops, 1)).isEqualTo(200);
            shops.open(1_000);
            List<CompletableFuture<HttpResponse<String>>> buyers = new ArrayList<>();
            ENDPOINTS.forEach(endpoint -> buyers.addAll(shops.crowd(40, endpoint)));
            Await.until("the sale is under way", () -> sold(shops) >= 5);
            shops.redis().kill();
            long killed = System.nanoTime();
            for (CompletableFuture<HttpResponse<String>> buyer : buyers) {
                HttpResponse<String> answer = TwoShops.answer(buyer);
                assertThat(answer.statusCode()).as(answer.body()).isIn(200, 503);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(BOUND);
            assertThat(buyers.stream().map(CompletableFuture::join).map(HttpResponse::statusCode))
                    .contains(200, 503);
            for (int shop = 0; shop < 2; shop++) {
                assertThat(health(shops, shop)).isEqualTo(503);
            }
            for (String endpoint : ENDPOINTS) { // new requests do not wait longer than earlier ones
                long asked = System.nanoTime();
                assertThat(TwoShops.answer(shops.ask(0, endpoint)).statusCode()).isEqualTo(503);
                assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(BOUND);
            }

            shops.redis().restart();
            Await.until("health is up again", () -> health(shops, 0) == 200 && health(shops, 1) == 200);
            Await.within(Duration.ofSeconds(60), "the stock's own connection is back", () -> isOpened(shops));
            List<CompletableFuture<HttpResponse<String>>> late = ENDPOINTS.stream()
                    .flatMap(each -> shops.crowd(10, each).stream())
                    .toList();
            for (CompletableFuture<HttpResponse<String>> buyer : late) {
                assertThat(TwoShops.answer(buyer).statusCode()).isEqualTo(200);
            }
            assertThat(late.stream().filter(buyer -> buyer.join().body().equals("sold")))
                    .hasSize(10);
            assertThat(shops.redis().command("GET", "sale:1001")).isEqualTo("0");
        }
    }

    private static boolean isOpened(TwoShops shops) {
        try {
            shops.open(10);
            return true;
        } catch (Exception | AssertionError notYet) {
            return false;
        }
    }

    private static long sold(TwoShops shops) {
        return 1_000 - Long.parseLong(String.valueOf(shops.redis().command("GET", "sale:1001")));
    }

    private static int health(TwoShops shops, int shop) {
        try {
            return TwoShops.answer(shops.ask(shop, "/actuator/health/locks")).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
