// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.wait.Await;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A shop is stopped in the middle of a sale, for longer than its lease. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class FrozenShopTest {

    @Test
    void theLateWriteOfAFrozenShopIsRefused() throws Exception {
        try (TwoShops shops = new TwoShops("--sale.work=1s", "--boltwork.lock.renewed-lease=500ms");
                Fault frozen = Faults.freeze(shops.jvm(0))) {
            shops.open(10);
            CompletableFuture<HttpResponse<String>> late = shops.ask(0, "/annotation-lock-decrease-stock");
            Await.until("the first shop has registered its token", () -> token(shops) != null);
            Object token = token(shops);
            frozen.inject();
            assertThat(TwoShops.answer(shops.ask(1, "/annotation-lock-decrease-stock"))
                            .body())
                    .isEqualTo("sold");
            assertThat(token(shops)).isNotEqualTo(token);
            frozen.heal();
            HttpResponse<String> refused = TwoShops.answer(late);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body())
                    .contains("The write to 'sale:1001' with the fencing token " + token + " was refused")
                    .contains("a holder with the newer token " + token(shops));
            assertThat(shops.redis().command("GET", "sale:1001")).isEqualTo("9");
        }
    }

    private static Object token(TwoShops shops) {
        return shops.redis().command("GET", "boltwork:fence:{sale:1001}");
    }
}
