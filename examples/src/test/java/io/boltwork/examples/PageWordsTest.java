// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages stay short. Tables of measurements do not count, because commands and tests write their figures.
 * Translations do not count, because their words have no blanks between them.
 */
class PageWordsTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path MEASUREMENTS = DOCS.resolve("inside").resolve("measurements");
    private static final Path CHINESE = DOCS.resolve("zh");
    private static final int WORDS = 40_000;

    @Test
    void pagesHaveFewWords() throws IOException {
        Map<String, Long> words = new TreeMap<>();
        for (Path page : pages()) {
            words.merge(DOCS.relativize(page).getName(0).toString(), words(page), Long::sum);
        }
        words.forEach((folder, count) -> System.out.printf("docs/%s: %,d words%n", folder, count));
        assertThat(words).containsKeys("start", "move", "run", "inside");
        assertThat(words.values().stream().mapToLong(Long::longValue).sum())
                .as("words by folder: %s", words)
                .isLessThanOrEqualTo(WORDS);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(".md") && !file.startsWith(CHINESE))
                    .toList();
        }
    }

    /** Returns the number of words. A bar of a table and a bullet are none. */
    private static long words(Path page) throws IOException {
        boolean measured = page.startsWith(MEASUREMENTS);
        return Files.readAllLines(page).stream()
                .filter(line -> !(measured && line.startsWith("|")))
                .flatMap(line -> Stream.of(line.strip().split("\\s+")))
                .filter(word -> word.codePoints().anyMatch(Character::isLetterOrDigit))
                .count();
    }
}
