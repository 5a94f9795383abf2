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
 * README.md links to each page. The menu of the site has the pages of the folders in the order of these links. The page
 * of measurements has those in its folder, and the page of decisions the records.
 */
class SiteMenuTest {
    private static final Path ROOT = Path.of("..");

    @ParameterizedTest
    @ValueSource(strings = {"", "docs/start", "docs/move", "docs/run", "docs/inside"})
    void theOverviewLinksToEachPage(String folder) throws IOException {
        String overview = Files.readString(ROOT.resolve("README.md"));
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            List<String> pages = files.map(
                            file -> ROOT.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".md") && !name.startsWith("README."))
                    .toList();
            assertThat(pages)
                    .isNotEmpty()
                    .allSatisfy(page -> assertThat(overview).contains("](" + page + ")"));
        }
    }
}
