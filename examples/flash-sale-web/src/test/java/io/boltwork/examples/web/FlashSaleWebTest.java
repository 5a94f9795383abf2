package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.Await;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

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
                "/annotatin-lock-decrease-stock"
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
            assertThat(shops.redis().command("GET", "sale:stock")).isEqualTo("0");
        }
    }

    /** A server that listens on all addresses of the machine can be reached at each loopback address. */
    @Test
    void shopsListenOnlyOnOneLoopbackAddress() {
        int port = URI.create(shops.url(0, "/")).getPort();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.2", port).close());
    }

    @Test
    void pageFollowsTheSaleInChromium() throws Exception {
        assumeTrue(
                Chromium.browser().isPresent() && Chromium.driver().isPresent(),
                "SKIPPED: no Chromium with its driver to show the page with (packages chromium, chromium-driver)");
        ChromeDriver browser = Chromium.start();
        try {
            shops.redis().command("DEL", "sale:counts");
            browser.get(shops.url(0, "/"));
            WebElement sold = browser.findElement(By.id("sold"));
            Await.until(
                    "the page has forgotten the last sale", () -> sold.getText().equals("0"));
            browser.findElement(By.id("locked-100")).click();
            WebElement verdict = browser.findElement(By.id("verdict"));
            Await.within(
                    Duration.ofSeconds(60),
                    "the page says sold out",
                    () -> verdict.getText().equals("Sold out, not one too many"));
            assertThat(sold.getText()).isEqualTo("10");
            assertThat(browser.findElement(By.id("stock")).getText()).isEqualTo("0");
            Await.until(
                    "the queue is empty",
                    () -> browser.findElement(By.id("late")).getText().equals("90")
                            && browser.findElement(By.id("holder")).getText().equals("none"));
            String keep = System.getProperty("boltwork.screenshot");
            if (keep != null) {
                Files.write(Path.of(keep), browser.getScreenshotAs(OutputType.BYTES));
            }
        } finally {
            browser.quit();
        }
        assertThat(shops.redis().command("HGET", "sale:counts", "sold")).isEqualTo("10");
    }
}
