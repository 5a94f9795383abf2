// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two JVMs sell exactly the stock, never an item too many or too few. */
class FlashSaleWebTest {
    private static final int BUYERS = 100;
    private static final int ROUNDS = Boolean.getBoolean("boltwork.proof") ? 100 : 2;

    private static TwoShops shops;

    @BeforeAll
    static void open() throws IOException {
        shops = new TwoShops("--sale.work=2ms");
    }

    @AfterAll
    static void close() {
        shops.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/lock-decrease-stock",
                "/trylock-decrease-stock",
                "/annotation-lock-decrease-stock",
                "/annotatin-lock-decrease-stock",
                "/lock-decrease-stock?fifo=true",
                "/annotation-lock-decrease-stock?fifo=true"
            })
    void sellsExactlyTheStock(String endpoint) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            shops.open(10);
            int sold = 0;
            for (CompletableFuture<HttpResponse<String>> buyer : shops.crowd(BUYERS, endpoint)) {
                String answer = TwoShops.answer(buyer).body();
                assertThat(answer).isIn("sold", "sold out");
                sold += answer.equals("sold") ? 1 : 0;
            }
            assertThat(sold).as("round " + round).isEqualTo(10);
            assertThat(shops.redis().command("GET", "sale:1001")).isEqualTo("0");
        }
    }

    /** A server that listens on all addresses of the machine can be reached at each loopback address. */
    @Test
    void shopsListenOnlyOnOneLoopbackAddress() {
        int port = URI.create(shops.url(0, "/")).getPort();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.2", port).close());
    }
}
