// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;

/** The installed headless Chromium with the console's page, driven by Selenium with the installed driver. */
final class ConsoleBrowser implements AutoCloseable {
    /* warns that it does not know this version's DevTools, of which only two stable commands are used here */
    private static final Logger DEV_TOOLS = Logger.getLogger("org.openqa.selenium.devtools");

    private final ChromeDriver driver;

    private ConsoleBrowser(ChromeDriver driver) {
        this.driver = driver;
    }

    private static Optional<Path> first(String... paths) {
        return Stream.of(paths).map(Path::of).filter(Files::isExecutable).findFirst();
    }

    /** Starts a browser, or skips the test. */
    static ConsoleBrowser start() {
        Optional<Path> browser = first("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
        Optional<Path> driver = first("/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver");
        assumeTrue(
                browser.isPresent() && driver.isPresent(),
                "SKIPPED: no Chromium with its driver to show the console with (packages chromium, chromium-driver)");
        DEV_TOOLS.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.orElseThrow().toFile());
        options.addArguments("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox");
        }
        ChromeDriver started = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driver.orElseThrow().toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
        started.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        ConsoleBrowser made = new ConsoleBrowser(started);
        made.size(1120, 800);
        return made;
    }

    ChromeDriver driver() {
        return driver;
    }

    /** Sets the size of the window in CSS pixels. */
    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    /** Sets whether the user wants dark pages. */
    void dark(boolean isDark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    }

    /** Opens a view of a console. */
    void open(ConsoleServer console, String view) {
        driver.get("about:blank"); // a URL that differs only in its fragment would not be loaded anew
        driver.get(console.url() + "#/" + view);
        awaitText("h1", "");
    }

    /** Forgets the cookies of all sites. */
    void forgetCookies() {
        driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
    }

    void click(String selector) {
        driver.findElement(By.cssSelector(selector)).click();
    }

    /** Returns the texts of all elements that a selector finds, as people see them. */
    List<String> texts(String selector) {
        while (true) {
            try {
                return driver.findElements(By.cssSelector(selector)).stream()
                        .map(WebElement::getText)
                        .toList();
            } catch (StaleElementReferenceException changedMeanwhile) {
                // look again
            }
        }
    }

    String text(String selector) {
        return String.join("\n", texts(selector));
    }

    /** Waits until an element is there with a text. */
    void awaitText(String selector, String part) {
        Await.within(
                Duration.ofSeconds(30),
                "'" + part + "' in " + selector,
                () -> texts(selector).stream().anyMatch(text -> text.contains(part)));
    }

    /** Presses keys, wherever the focus is. */
    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Presses the tabulator until an element with a text has the focus. */
    void tabTo(String text) {
        for (int i = 0; i < 60; i++) {
            press(Keys.TAB);
            if (focus().contains(text)) {
                return;
            }
        }
        throw new AssertionError("the keyboard does not reach '" + text + "'");
    }

    /** Returns the text of the element with the focus. */
    String focus() {
        return String.valueOf(script("return document.activeElement.innerText || document.activeElement.id"));
    }

    Object script(String script) {
        return driver.executeScript(script);
    }

    /**
     * Returns what axe finds wrong with the page. {@code -Dboltwork.axe=FILE} takes another version of it. One rule is
     * an experiment in versions before 4.14, so it is switched on.
     */
    @SuppressWarnings("unchecked")
    List<String> findings() {
        driver.executeScript(axe());
        return (List<String>) driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run({rules: {'label-content-name-mismatch': {enabled: true}}}).then(
                  (result) => done(result.violations.map((rule) => rule.id + ': '
                    + rule.nodes.map((node) => node.html + ' ' + node.failureSummary).join(' | '))),
                  (error) => done(['axe failed: ' + error]));
                """);
    }

    private static String axe() {
        String other = System.getProperty("boltwork.axe");
        try (InputStream bundled = ConsoleBrowser.class.getResourceAsStream("/axe.min.js")) {
            return other == null
                    ? new String(bundled.readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(Path.of(other));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    void save(Path png) throws IOException {
        Files.write(png, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
