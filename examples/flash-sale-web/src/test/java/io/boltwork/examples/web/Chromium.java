// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The installed headless Chromium, driven by Selenium with the installed driver; nothing is downloaded. */
final class Chromium {
    /* warns that it does not know this version's DevTools, which are not used here */
    private static final Logger DEV_TOOLS = Logger.getLogger("org.openqa.selenium.devtools");

    private Chromium() {}

    static Optional<Path> browser() {
        return first("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
    }

    static Optional<Path> driver() {
        return first("/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver");
    }

    private static Optional<Path> first(String... paths) {
        return Stream.of(paths).map(Path::of).filter(Files::isExecutable).findFirst();
    }

    /** Starts a browser, which the caller must quit. */
    static ChromeDriver start() {
        DEV_TOOLS.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser().orElseThrow().toFile());
        options.addArguments("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=900,640");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox");
        }
        return new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driver().orElseThrow().toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
    }
}
