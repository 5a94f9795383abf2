// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Takes the pictures of the docs from a real sale: {@code -Dboltwork.pictures=} and the directory to write them to. */
@EnabledIfSystemProperty(
        named = "boltwork.pictures",
        matches = ".+",
        disabledReason = "pictures: -Dboltwork.pictures=docs/start")
class SalePicturesTest {
    private static final int LARGEST = 1_500_000;
    private static final long STEP_MILLIS = 250;
    private static final int LAST_HUNDREDTHS = 400;

    /** A screenshot, and when it was taken. */
    private record Shot(byte[] picture, long at) {}

    private static Path directory;
    private static FlashSaleDemo demo;
    private static SalePage page;

    private final List<Shot> shots = new ArrayList<>();

    @BeforeAll
    static void open() {
        directory = Path.of(System.getProperty("boltwork.pictures"));
        demo = new FlashSaleDemo(0);
        page = new SalePage(demo.url());
        demo.open(3);
        page.awaitReady();
    }

    @AfterAll
    static void close() {
        if (page != null) {
            page.close();
        }
        demo.close();
    }

    /** A sale with a frozen shop and a failover, then one without a lock. */
    @Test
    void picturesOfASale() throws IOException {
        page.dark(false);
        page.size(1200, 930, 0.75);
        page.fill("items", 160);
        page.fill("buyers", 200);
        page.button("#with").click();
        watch("some items are sold", () -> page.number("sold") > 30);
        page.button("#freeze-holder").click();
        watch("a shop is frozen", () -> page.hasNews("is frozen while it holds the lock"));
        watch("the lock passes on", () -> page.hasNews("with a larger token"));
        int sold = page.number("sold");
        watch("the others sell", () -> page.number("sold") > sold + 12);
        page.js("[...document.querySelectorAll('.lane button')].find(each => each.textContent === 'Thaw').click()");
        watch("the late write is rejected", () -> page.hasNews("Late write rejected"));
        watch("it can be read", enough(8));
        large("sale-light.png", 1);
        page.button("redis", "Fail over").click();
        watch("there is another master", () -> page.hasNews("is the new master"));
        watch("the sale goes on", enough(8));
        page.dark(true);
        large("sale-dark.png", 1);
        page.dark(false);
        page.awaitOver();
        watch("the last state", enough(2));
        page.fill("buyers", 200);
        page.button("#without").click();
        page.awaitOver();
        page.size(390, 844, 2);
        page.await("it is drawn", enough(4));
        page.keep(directory.resolve("sale-phone.png"));
        gif();
    }

    /** Two sales in peace, beside each other. */
    @Test
    void picturesOfTheResults() throws IOException {
        page.dark(false);
        page.forgetNews();
        page.size(1200, 1010, 1);
        page.fill("items", 160);
        page.fill("buyers", 200);
        for (String button : List.of("#with", "#without")) {
            page.button(button).click();
            page.awaitOver();
        }
        page.await("it is drawn", enough(4));
        page.keep(directory.resolve("sale-results.png"));
    }

    private void large(String name, double scale) throws IOException {
        page.size(1200, 930, scale);
        page.await("it is drawn", enough(2));
        page.keep(directory.resolve(name));
        page.size(1200, 930, 0.75);
        page.await("it is drawn", enough(1));
    }

    private static BooleanSupplier enough(int steps) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS * steps);
        return () -> System.nanoTime() - end > 0;
    }

    /** Takes a screenshot every quarter of a second until a condition holds. */
    private void watch(String what, BooleanSupplier condition) {
        page.await(what, () -> {
            long now = System.currentTimeMillis();
            if (shots.isEmpty() || now - shots.get(shots.size() - 1).at() >= STEP_MILLIS) {
                shots.add(new Shot(page.picture(), now));
            }
            return condition.getAsBoolean();
        });
    }

    private void gif() throws IOException {
        AnimatedGif gif = new AnimatedGif();
        for (int i = 0; i < shots.size(); i++) {
            BufferedImage picture =
                    ImageIO.read(new ByteArrayInputStream(shots.get(i).picture()));
            long shown = i + 1 < shots.size()
                    ? Math.min(1_000, shots.get(i + 1).at() - shots.get(i).at()) / 10
                    : LAST_HUNDREDTHS;
            gif.add(picture, (int) shown);
        }
        Path file = directory.resolve("sale.gif");
        gif.write(file);
        assertThat(Files.size(file)).isLessThanOrEqualTo(LARGEST);
    }
}
