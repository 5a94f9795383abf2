// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.Keys;

/**
 * The page in a real Chromium, while three JVMs contend for a lock.
 *
 * <p>With {@code -Dboltwork.screenshots=DIRECTORY}, it also writes the pictures of the docs there.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ConsolePageTest {
    private static final String CONTENDED = "stock:1001";
    private static final String SCRIPT = "<script>alert(1)</script>";

    private static final List<ChildJvm> SHOPS = new ArrayList<>();
    private static final List<Lease> LEASES = new ArrayList<>();
    private static final StringWriter LOG = new StringWriter();
    private static RedisServer redis;
    private static LockClient catalog;
    private static LockClient viewer;
    private static ConsoleServer console;
    private static ConsoleBrowser browser;

    @BeforeAll
    static void start() throws IOException {
        browser = ConsoleBrowser.start();
        redis = RedisServer.start();
        catalog = client(redis.uri(), "catalog");
        viewer = client(redis.uri(), "boltwork console");
        console = console(viewer, LOG);
        for (String name :
                List.of(SCRIPT, "evil:\u202e\u001b[31mred", "catalog:import", "report:2026-11", "stock:1002")) {
            LEASES.add(catalog.lock(name).acquire());
        }
        LEASES.add(catalog.semaphore("uploads", 5).acquire(3));
        LEASES.add(catalog.readWriteLock("price-list").readLock().acquire());
        SHOPS.add(ChildJvm.start(ContendingShop.class, redis.uri(), "checkout", CONTENDED, "700"));
        SHOPS.add(ChildJvm.start(ContendingShop.class, redis.uri(), "billing", CONTENDED, "1100"));
        SHOPS.add(ChildJvm.start(ContendingShop.class, redis.uri(), "returns", CONTENDED, "500"));
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            SHOPS.forEach(ChildJvm::close);
            console.close();
            LEASES.forEach(Lease::close);
            catalog.close();
            viewer.close();
            redis.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    private static LockClient client(String uri, String application) {
        return LockClient.create(
                RedisBackend.connect(uri), ClientOptions.defaults().withApplication(application));
    }

    private static ConsoleServer console(LockClient locks, Writer log) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return ConsoleServer.start(
                locks,
                new ConsoleSettings(
                        new InetSocketAddress(loopback, 0), HostList.of(loopback, List.of()), null, false, true),
                new PrintWriter(log, true));
    }

    @BeforeEach
    void light() {
        browser.size(1120, 800);
        browser.dark(false);
    }

    private static String lockView(String name) {
        return "lock?kind=LOCK&name=" + java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void theListShowsNamesAsTextAndSearches() {
        browser.open(console, "locks");
        browser.awaitText("tbody a.name", CONTENDED);
        assertThat(browser.driver().getCurrentUrl())
                .as("without the token")
                .isEqualTo("http://127.0.0.1:" + console.port() + "/#/locks");
        assertThat(browser.texts("tbody a.name")).contains(SCRIPT, "evil:\\u202e\\u001b[31mred");
        assertThat(browser.script("return document.querySelectorAll('main script').length"))
                .isEqualTo(0L);
        assertThat(browser.text("#link")).contains("Live");
        browser.press("/");
        browser.press("evil");
        Await.until("one lock", () -> browser.texts("tbody tr").size() == 1);
        browser.awaitText("#announcer", "1 lock found.");
        browser.press(Keys.chord(Keys.CONTROL, "a"), "no such lock");
        browser.awaitText(".empty", "No lock fits.");
        browser.open(console, "locks?kind=SEMAPHORE");
        Await.until("the semaphore", () -> browser.texts("tbody a.name").equals(List.of("uploads")));
        assertThat(browser.text("tbody tr")).contains("semaphore", "held", "1 (3 permits)");
    }

    @Test
    void aLinkInAnotherSiteOpensThePage() throws IOException {
        try (OtherOrigin mail = OtherOrigin.start(console)) {
            browser.forgetCookies();
            browser.driver().get(mail.url());
            browser.click("#page");
            browser.awaitText("tbody a.name", "catalog:import");
            assertThat(browser.driver().getCurrentUrl()).isEqualTo("http://127.0.0.1:" + console.port() + "/");
            assertThat(browser.script("return document.cookie"))
                    .as("no script reads the cookie")
                    .isEqualTo("");
            assertThat(String.valueOf(
                            browser.script("return JSON.stringify(performance.getEntries()) + document.referrer")))
                    .as("the token is in no address that scripts see")
                    .doesNotContain("token");
            browser.driver().navigate().back();
            browser.awaitText("a", "The console");
            browser.driver().navigate().forward();
            browser.awaitText("#link", "Live");
        }
    }

    @Test
    void otherSitesAndPortsCannotUseAnOpenConsole() throws IOException {
        Lease lease = catalog.lock("coveted:1").acquire();
        browser.open(console, "locks");
        browser.awaitText("tbody a.name", "coveted:1");
        try (OtherOrigin evil = OtherOrigin.start(console)) {
            for (String host : List.of("localhost", "127.0.0.1")) { // another site, and another port of the same site
                for (String way : List.of("#events", "#file", "button")) {
                    browser.driver().get(evil.url().replace("localhost", host));
                    browser.click(way);
                    browser.awaitText("body", "The console answers only its own pages.");
                }
            }
        }
        assertThat(lease.verify()).isTrue();
        lease.close();
    }

    @Test
    void theKeyboardTurnsToFurtherLocks() {
        List<Lease> many = new ArrayList<>();
        for (int i = 100; i < 220; i++) {
            many.add(catalog.lock("many:" + i).acquire());
        }
        browser.open(console, "locks?search=many:&sort=name");
        browser.awaitText(".pages", "1 to 50 of 120 locks");
        assertThat(browser.texts("tbody a.name")).startsWith("many:100").hasSize(50);
        browser.script("document.querySelector('.pages button:last-child').focus()");
        browser.press(Keys.ENTER);
        browser.awaitText("#announcer", "51 to 100 of 120 locks");
        browser.press(Keys.ENTER);
        browser.awaitText(".pages", "101 to 120 of 120 locks");
        assertThat(browser.texts("tbody a.name")).startsWith("many:200").hasSize(20);
        assertThat(browser.focus()).as("the last button that can be used").isEqualTo("Previous");
        assertThat(browser.driver().getCurrentUrl()).endsWith("page=3");
        assertThat(browser.findings()).isEmpty();
        many.subList(60, 120).forEach(Lease::close);
        browser.awaitText(".pages", "51 to 60 of 60 locks");
        browser.press("/");
        browser.press("many:115");
        browser.awaitText("#announcer", "1 lock found.");
        assertThat(browser.text(".pages")).isEmpty();
        many.subList(0, 60).forEach(Lease::close);
    }

    @Test
    void aLockShowsHolderQueueAndTimelineLive() {
        browser.open(console, lockView(CONTENDED));
        Await.within(
                Duration.ofSeconds(30),
                "a holder and two waiters",
                () -> browser.texts(".holders li").size() == 1
                        && browser.texts(".queue tbody tr").size() == 2);
        Await.within(
                Duration.ofSeconds(30),
                "three lanes",
                () -> browser.texts(".lane").size() == 3
                        && browser.driver()
                                        .findElements(org.openqa.selenium.By.cssSelector(".span.hold"))
                                        .size()
                                >= 5);
        assertThat(browser.text(".lanes")).contains("checkout@", "billing@", "returns@");
        browser.script("document.querySelector('#range').focus()");
        String before = browser.text(".holders li");
        Await.until("another holder", () -> !browser.text(".holders li").equals(before));
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("range");
        assertThat(browser.text("#announcer"))
                .as("a screen reader is left alone")
                .isEmpty();
    }

    @Test
    void theKeyboardAloneTakesALockAway() {
        Lease lease = catalog.lock("hung:1").acquire();
        browser.open(console, lockView("hung:1"));
        browser.awaitText(".holders li", "catalog@");
        browser.awaitText(".holders button", "Take away");
        browser.tabTo("Take away");
        browser.press(Keys.ENTER);
        browser.awaitText("dialog", "Type the name of the lock");
        assertThat(browser.text("dialog")).contains("hung:1", "catalog@", Long.toString(lease.fencingToken()));
        assertThat(browser.focus()).isEqualTo("confirm");
        browser.press("hung:2", Keys.ENTER);
        browser.awaitText("dialog .error", "This is not the name of the lock.");
        browser.press(Keys.ESCAPE);
        Await.until("no dialog", () -> browser.texts("dialog").isEmpty());
        assertThat(browser.focus()).contains("Take away");
        assertThat(lease.verify()).isTrue();
        browser.press(Keys.ENTER);
        browser.awaitText("dialog", "Type the name of the lock");
        browser.press("hung:1", Keys.ENTER);
        Await.until("the loss", () -> !lease.isValid());
        browser.awaitText("#announcer", "The lock was taken away from catalog@");
        browser.awaitText(".empty", "No client holds it.");
        assertThat(browser.focus()).isEqualTo("hung:1");
        assertThat(LOG.toString()).contains("took LOCK 'hung:1' away");
    }

    @Test
    void axeFindsNothingAndAPhoneScrollsOnlyDown() {
        for (boolean isDark : new boolean[] {false, true}) {
            browser.size(isDark ? 390 : 1120, 844);
            browser.dark(isDark);
            look("locks", "tbody a.name", CONTENDED, isDark);
            look(lockView(CONTENDED), ".queue tbody", "@", isDark);
            browser.script("document.querySelector('details').open = true");
            browser.awaitText(".seen tbody", "@");
            isFine("the table of holds", isDark);
            look("clients", "tbody", "checkout", isDark);
            look("health", "tbody", "master", isDark);
            look(lockView(SCRIPT), ".holders button", "Take away", isDark);
            browser.script("document.querySelector('.holders button').click()");
            isFine("the dialog", isDark);
        }
    }

    private static void look(String view, String selector, String part, boolean isDark) {
        browser.open(console, view);
        browser.awaitText(selector, part);
        isFine(view, isDark);
    }

    private static void isFine(String view, boolean isDark) {
        String background = String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
        assertThat(background.equals("rgb(14, 19, 26)")).as(background).isEqualTo(isDark);
        assertThat(browser.findings()).as(view).isEmpty();
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .as(view)
                .isLessThanOrEqualTo((Long) browser.script("return window.innerWidth"));
        assertThat((Long) browser.script("return window.innerWidth")).isEqualTo(isDark ? 390 : 1120);
    }

    @Test
    void lostConnectionsAreShown() throws IOException {
        RedisServer other = RedisServer.start();
        LockClient locks = client(other.uri(), "boltwork console");
        ConsoleServer ending = console(locks, Writer.nullWriter());
        try {
            browser.open(ending, "locks");
            browser.awaitText(".empty", "No lock is in use.");
            other.freeze();
            browser.awaitText("#banner", "The store does not answer: ");
            assertThat(browser.text("#link")).contains("Store silent");
            other.thaw();
            Await.within(
                    Duration.ofSeconds(30),
                    "the store's return",
                    () -> browser.text("#banner").isEmpty());
            ending.close();
            browser.awaitText("#banner", "The connection to the console is lost.");
            assertThat(browser.text("#link")).contains("Connection lost");
            assertThat(browser.text("#banner")).contains("was seen at");
        } finally {
            other.thaw();
            ending.close();
            locks.close();
            other.close();
        }
    }

    @Test
    void picturesOfTheDocs() throws IOException {
        String directory = System.getProperty("boltwork.screenshots");
        assumeTrue(directory != null, "only with -Dboltwork.screenshots=DIRECTORY");
        browser.open(console, lockView(CONTENDED));
        Await.within(
                Duration.ofSeconds(60),
                "a filled timeline",
                () -> (Long) browser.script("return document.querySelectorAll('.span.hold').length") > 30
                        && browser.texts(".queue tbody tr").size() == 2
                        && browser.text(".head").contains("held"));
        browser.save(Path.of(directory, "console.png"));
        browser.size(390, 844);
        browser.save(Path.of(directory, "console-phone.png"));
        browser.size(1120, 800);
        browser.dark(true);
        browser.open(console, "locks");
        browser.awaitText("tbody", "uploads");
        browser.save(Path.of(directory, "console-dark.png"));
    }
}
