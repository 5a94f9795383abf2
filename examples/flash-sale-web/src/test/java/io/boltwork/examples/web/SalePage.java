// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

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
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogType;

/** The page of the demo in a real Chromium. */
final class SalePage implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final ChromeDriver browser;

    /** Skips the test if there is no browser. */
    SalePage(String url) {
        assumeTrue(
                Chromium.browser().isPresent() && Chromium.driver().isPresent(),
                "SKIPPED: no Chromium with its driver to show the page with (packages chromium, chromium-driver)");
        browser = Chromium.start();
        browser.get(url);
    }

    WebElement at(String css) {
        return browser.findElement(By.cssSelector(css));
    }

    String text(String css) {
        return String.valueOf(js("return document.querySelector(arguments[0]).textContent", css));
    }

    int number(String id) {
        String text = text("#" + id);
        return text.equals("–") ? 0 : Integer.parseInt(text);
    }

    Object js(String script, Object... args) {
        return Objects.requireNonNullElse(browser.executeScript(script, args), "");
    }

    /** Fills a field of the form. */
    void fill(String id, int value) {
        js("document.getElementById(arguments[0]).value = arguments[1]", id, value);
    }

    /** Returns a button when it is enabled. */
    WebElement button(String css) {
        await(css + " is enabled", () -> at(css).isEnabled());
        return at(css);
    }

    /** Returns a button of a lane, such as that of {@code shop-0}, when it is enabled. */
    WebElement button(String lane, String label) {
        By path = By.xpath("//div[@id='" + lane + "']//button[.='" + label + "']");
        await(label + " in " + lane + " is enabled", () -> {
            List<WebElement> found = browser.findElements(path);
            return !found.isEmpty() && found.get(0).isEnabled();
        });
        return browser.findElement(path);
    }

    /** Returns what a lane says below its name. */
    String note(String lane) {
        return text("#" + lane + " small");
    }

    boolean hasNews(String words) {
        return text("#news").contains(words);
    }

    /** Removes all that happened so far. */
    void forgetNews() {
        js("document.getElementById('news').replaceChildren()");
    }

    void await(String what, BooleanSupplier condition) {
        Await.within(LONG, what, condition);
    }

    void awaitReady() {
        await("the shops are open", () -> text("#phase").equals("Ready for a sale"));
    }

    void awaitOver() {
        await(
                "the sale is over",
                () -> !text("#phase").contains("running")
                        && !text("#phase").contains("wait in")
                        && !text("#phase").contains("opening"));
    }

    void dark(boolean dark) {
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void size(int width, int height, double scale) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", width < 500));
    }

    byte[] picture() {
        return browser.getScreenshotAs(OutputType.BYTES);
    }

    void keep(Path file) throws IOException {
        Files.write(file, picture());
    }

    /**
     * Returns what axe-core finds, one line for each rule. {@code -Dboltwork.axe=FILE} takes another version of it. One
     * rule is an experiment in versions before 4.14, so it is switched on.
     */
    List<String> barriers() {
        browser.executeScript(axe());
        return faults("""
                const done = arguments[arguments.length - 1];
                const rules = { 'label-content-name-mismatch': { enabled: true } };
                axe.run({ rules }).then(found => done(found.violations.map(each =>
                    each.id + ': ' + each.nodes.map(node => node.html + ' ' + node.failureSummary).join('; '))),
                  failed => done([String(failed)]));
                """);
    }

    private static String axe() {
        String other = System.getProperty("boltwork.axe");
        try (InputStream bundled = SalePage.class.getResourceAsStream("/axe.min.js")) {
            return other == null
                    ? new String(Objects.requireNonNull(bundled).readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(Path.of(other));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the texts that a script gives to its last argument. */
    @SuppressWarnings("unchecked")
    List<String> faults(String script) {
        return (List<String>) Objects.requireNonNull(browser.executeAsyncScript(script));
    }

    /** Returns the errors of the page, such as a script that its policy forbids. */
    List<String> errors() {
        return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(Object::toString)
                .toList();
    }

    /** Presses keys where the focus is. */
    void type(CharSequence... keys) {
        browser.switchTo().activeElement().sendKeys(keys);
    }

    String window() {
        return browser.getWindowHandle();
    }

    /** Goes to a window with a name. */
    void window(String name) {
        browser.switchTo().window(name);
    }

    /** Closes this window and goes back to another one. */
    void closeWindow(String other) {
        browser.close();
        browser.switchTo().window(other);
    }

    String focused() {
        return String.valueOf(js("return document.activeElement.id"));
    }

    @Override
    public void close() {
        browser.quit();
    }
}
