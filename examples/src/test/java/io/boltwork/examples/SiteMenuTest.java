// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each page is in the menu of the site, whose build needs Node. Decisions are found through the page that lists them.
 */
class SiteMenuTest {
    private static final Path ROOT = Path.of("..");

    @ParameterizedTest
    @ValueSource(strings = {"", "docs/start", "docs/move", "docs/run", "docs/inside", "docs/inside/measurements"})
    void eachPageIsInTheMenu(String folder) throws IOException {
        String menu = Files.readString(ROOT.resolve("site/content.js"));
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            List<String> pages = files.map(
                            file -> ROOT.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".md"))
                    .map(name -> "'" + name.substring(0, name.length() - ".md".length()) + "'")
                    .toList();
            assertThat(pages).isNotEmpty().allSatisfy(page -> assertThat(menu).contains(page));
        }
    }
}
