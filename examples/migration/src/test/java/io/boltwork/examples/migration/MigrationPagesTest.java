// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tests and files that the pages about migrations link exist. */
class MigrationPagesTest {
    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final Pattern LINKED_TEST = Pattern.compile("\\[([a-z]\\w+)]\\((\\.\\./\\S+\\.java)\\)");
    private static final Pattern LINKED_FILE = Pattern.compile("]\\(((?!http)[^)#\\s]+)");

    @ParameterizedTest
    @CsvSource({"move/redisson.md, 10", "move/others.md, 5", "zh/redisson.md, 10"})
    void eachTestThatThePageLinksExists(String name, int atLeast) throws IOException {
        Path page = DOCS.resolve(name);
        List<MatchResult> links =
                LINKED_TEST.matcher(Files.readString(page)).results().toList();
        assertThat(links).hasSizeGreaterThanOrEqualTo(atLeast);
        for (MatchResult link : links) {
            assertThat(page.resolveSibling(link.group(2)))
                    .content()
                    .as(link.group(1))
                    .contains("void " + link.group(1) + "(");
        }
    }

    @ParameterizedTest
    @CsvSource({"move/redisson.md", "move/others.md", "zh/redisson.md"})
    void eachFileThatThePageLinksExists(String name) throws IOException {
        Path page = DOCS.resolve(name);
        assertThat(LINKED_FILE.matcher(Files.readString(page)).results())
                .isNotEmpty()
                .allSatisfy(link -> assertThat(page.resolveSibling(link.group(1)))
                        .as(link.group(1))
                        .exists());
    }
}
