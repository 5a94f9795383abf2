// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page shows a sale, and its buttons work, in a real Chromium, with real servers and two shops. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class SalePageTest {
    private static final int ATTEMPTS = 3;

    private static FlashSaleDemo demo;
    private static SalePage page;

    @BeforeAll
    static void open() {
        demo = new FlashSaleDemo(0);
        page = new SalePage(demo.url());
        demo.open(2);
        page.awaitReady();
    }

    @AfterAll
    static void close() {
        if (page != null) {
            page.close();
        }
        demo.close();
    }

    @BeforeEach
    void quiet() {
        page.size(1280, 900, 1);
        page.dark(false);
        clear();
        page.awaitOver();
        page.forgetNews();
        for (int shop = 0; shop < 2; shop++) {
            String lane = "shop-" + shop;
            page.await(lane + " is open", () -> page.note(lane).equals("open"));
        }
        page.await("Redis is whole", () -> page.note("redis").endsWith("is master"));
    }

    /** Ends what a failed test may have left. */
    private static void clear() {
        if (page.at("#stop").isEnabled()) {
            page.button("#stop").click();
        }
        for (DemoShop shop : demo.stage().shops()) {
            if (shop.state() == DemoShop.State.FROZEN) {
                demo.stage().thaw(shop.index());
            } else if (shop.state() == DemoShop.State.CLOSED && shop.index() < 2) {
                demo.stage().start(shop.index());
            }
        }
        if (demo.stage().servers().isFrozen()) {
            demo.stage().thawRedis();
        }
    }

    private static void order(int buyers, int items, int work) {
        page.fill("buyers", buyers);
        page.fill("items", items);
        page.fill("work", work);
    }

    @Test
    void aSaleByKeyboardAloneShowsBothResults() {
        page.js("document.getElementById('buyers').focus()");
        for (String value : new String[] {"60", "40", "20"}) {
            page.type(Keys.chord(Keys.CONTROL, "a"), value, Keys.TAB);
        }
        assertThat(page.focused()).isEqualTo("kind");
        page.type(Keys.TAB);
        page.type(Keys.TAB);
        assertThat(page.focused()).isEqualTo("with");
        page.type(Keys.ENTER);
        page.await("the sale is under way", () -> page.number("sold") > 3);
        assertThat(page.at("#with").isEnabled()).isFalse();
        assertThat(page.at("#buyers").isEnabled()).isFalse();
        assertThat(page.at("#stop").isEnabled()).isTrue();
        page.await("the chart has a line", () -> !line().isEmpty());
        String before = line();
        page.await("the line has moved", () -> !line().equals(before));
        assertThat(page.js("return document.querySelectorAll('#lanes .turn').length > 0"))
                .isEqualTo(true);
        assertThat(page.js("return document.querySelectorAll('#shelf .gone').length > 0"))
                .isEqualTo(true);
        page.await("the result is there", () -> page.text("#results").contains("✓ not one too many"));
        assertThat(page.number("sold")).isEqualTo(40);
        assertThat(page.number("stock")).isZero();
        assertThat(page.number("late")).isEqualTo(20);
        assertThat(Double.parseDouble(page.text("#perSecond"))).isBetween(1.0, 50.0);
        assertThat(page.text("#bars .ours")).contains("This sale").contains("of 50");

        page.js("document.getElementById('without').focus()");
        page.type(Keys.SPACE);
        page.await("the other result is there", () -> page.text("#results").contains("✕ 20 too many"));
        assertThat(page.number("sold")).isEqualTo(60);
        assertThat(page.number("tooMany")).isEqualTo(20);
        assertThat(page.js("return document.querySelectorAll('#shelf .over').length"))
                .isEqualTo(20L);
        assertThat(page.errors()).noneMatch(error -> error.contains(demo.url()));
    }

    /** The points of the line in the chart; none until the chart has two values. */
    private static String line() {
        return String.valueOf(page.js("return document.querySelector('#chart .rate')?.getAttribute('points') ?? ''"));
    }

    @Test
    void aLateWriteIsRejectedInRedAndInWords() {
        order(40, 40, 300);
        page.button("#with").click();
        page.await("some items are sold", () -> page.number("sold") >= 2);
        page.button("#freeze-holder").click();
        page.await("a shop is frozen while it holds the lock", () -> page.hasNews("is frozen while it holds the lock"));
        String frozen = page.note("shop-0").equals("frozen") ? "shop-0" : "shop-1";
        page.await(
                "the holder is shown as frozen", () -> page.text("#holder-name").endsWith(", frozen"));
        page.await("the other shop has the lock", () -> page.hasNews("holds the lock, with a larger token."));
        int stock = page.number("stock");
        page.button(frozen, "Thaw").click();
        page.await("the late write is told", () -> page.hasNews("Late write rejected by its token: "));
        assertThat(page.number("stock")).isLessThanOrEqualTo(stock);
        assertThat(page.at("#news .REJECTED").getCssValue("color")).isEqualTo("rgba(179, 0, 30, 1)");
        page.await("its lane says so", () -> page.text("#" + frozen + " svg").contains("✕ late write rejected"));
        page.button("#stop").click();
        page.awaitOver();
        page.await("the result counts it", () -> page.text("#results").matches("(?s).*Late writes rejected1.*"));
    }

    @Test
    void eachButtonWorksWithinASecond() {
        order(600, 600, 100);
        works("#with", null, () -> page.number("sold") > 0, () -> {
            page.button("#stop").click();
            page.awaitOver();
        });
        works("shop-0", "Freeze", SalePageTest::isFrozen, SalePageTest::thaw);
        works("shop-0", "Thaw", () -> !isFrozen(), SalePageTest::freeze);
        works("redis", "Freeze", () -> page.note("redis").endsWith("frozen"), SalePageTest::thawRedis);
        thawRedis();
        works("redis", "Restart", () -> page.text("#redis svg").contains("restarted"), () -> {});
        works("redis", "Fail over", () -> page.note("redis").equals("no master"), () -> {});
        page.await("there is another master", () -> page.hasNews("is the new master, "));
        assertThat(page.text("#redis svg")).contains("killed");
        int sold = page.number("sold");
        page.await("the sale goes on", () -> page.number("sold") > sold);
        works(
                "shop-1",
                "Kill",
                () -> page.note("shop-1").equals("closed"),
                () -> page.button("shop-1", "Start").click());
        works(
                "shop-1",
                "Start",
                () -> page.note("shop-1").equals("starting…"),
                () -> page.button("shop-1", "Kill").click());
        works(
                "#stop",
                null,
                () -> page.text("#phase").endsWith("is over"),
                () -> page.button("#with").click());
        works("#without", null, () -> page.number("sold") > 0, () -> {});
    }

    private static void freeze() {
        page.button("shop-0", "Freeze").click();
        page.await("the shop is frozen", SalePageTest::isFrozen);
    }

    private static boolean isFrozen() {
        return page.note("shop-0").equals("frozen");
    }

    private static void thaw() {
        page.button("shop-0", "Thaw").click();
        page.await("the shop goes on", () -> !isFrozen());
    }

    private static void thawRedis() {
        page.button("redis", "Thaw").click();
        page.await("Redis is whole", () -> page.note("redis").endsWith("is master"));
    }

    /** Presses a button until it works within a second. A busy machine may need several attempts. */
    private static void works(String place, @Nullable String label, BooleanSupplier effect, Runnable undo) {
        Duration took = Duration.ZERO;
        for (int i = 0; i < ATTEMPTS; i++) {
            if (i > 0) {
                undo.run();
            }
            WebElement button = label == null ? page.button(place) : page.button(place, label);
            long pressed = System.nanoTime();
            button.click();
            page.await(place + " " + label + " works", effect);
            took = Duration.ofNanos(System.nanoTime() - pressed);
            if (took.compareTo(Slack.seconds(1)) < 0) {
                return;
            }
        }
        throw new AssertionError(place + " " + label + " began to work only after " + took.toMillis() + " ms");
    }

    @Test
    void noBarrierIsFoundInLightAndInDark() {
        for (boolean dark : new boolean[] {false, true}) {
            page.dark(dark);
            assertThat(page.barriers()).as(dark ? "dark" : "light").isEmpty();
        }
        page.size(390, 844, 1);
        assertThat(page.barriers()).as("phone").isEmpty();
        assertThat((Long) page.js("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(390);
    }

    @Test
    void aLostConnectionIsShown() {
        FlashSaleDemo other = new FlashSaleDemo(0);
        String before = page.window();
        try {
            page.js("window.open(arguments[0], 'other')", other.url());
            page.window("other");
            page.await("the page is served", () -> page.text("#phase").equals("The servers start…"));
            assertThat(page.at("#lost").isDisplayed()).isFalse();
        } finally {
            other.close();
        }
        page.await("the page says so", () -> page.at("#lost").isDisplayed());
        assertThat(page.text("#lost")).contains("The connection to the demo is lost");
        page.closeWindow(before);
    }
}
