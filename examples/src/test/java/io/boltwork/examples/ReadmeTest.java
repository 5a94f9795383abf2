// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code in README and docs was compiled and run. Also tests that check with wrong pages. */
class ReadmeTest {
    private static final String MARK = "<!-- snippet: QuickStart.java#quick-start -->";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "README.zh-CN.md",
                "docs/start/choosing.md",
                "docs/run/dashboards.md",
                "docs/start/fencing.md",
                "docs/move/others.md",
                "docs/move/redisson.md",
                "docs/run/operations.md",
                "docs/start/spring.md",
                "docs/start/reactive.md",
                "docs/start/stores.md",
                "docs/start/testing.md",
                "docs/start/why.md",
                "docs/zh/redisson.md",
                "docs/zh/spring.md",
                "docs/zh/why.md"
            })
    void snippetsMatchTheirSources(String page) throws IOException {
        Readme readme = new Readme(Files.readAllLines(Path.of("..", page)));
        assertThat(readme.verified())
                .as("snippets in " + page)
                .isNotEmpty()
                .as("other code in " + page)
                .hasSize((int) readme.blocks());
    }

    @Test
    void snippetMayBeIndented() {
        List<String> page = new ArrayList<>(List.of("text", "  " + MARK, "", "  ```java"));
        SourceRegion.lines("QuickStart.java", "quick-start").forEach(line -> page.add("  " + line));
        page.addAll(List.of("  ```", "text"));
        assertThat(new Readme(page).verified()).containsExactly("QuickStart.java#quick-start");
    }

    @Test
    void blocksWithoutAMarkAreIgnored() {
        assertThat(new Readme(List.of("```java", "foo();", "```")).verified()).isEmpty();
    }

    @Test
    void differentSnippetFails() {
        assertFails(List.of(MARK, "```java", "foo();", "```"), "and not\nfoo();");
    }

    @Test
    void markWithoutABlockFails() {
        assertFails(List.of(MARK, "text", "```java", "foo();", "```"), "Line 1: no ```java block");
        assertFails(List.of(MARK), "Line 1: no ```java block");
    }

    @Test
    void markWithoutASourceFails() {
        assertThatThrownBy(() ->
                        new Readme(List.of("<!-- snippet: Gone.java#a -->", "```java", "foo();", "```")).verified())
                .hasMessage("No source Gone.java");
        assertThatThrownBy(() ->
                        new Readme(List.of("<!-- snippet: QuickStart.java#gone -->", "```java", "```")).verified())
                .hasMessage("No region 'gone' in QuickStart.java");
    }

    private static void assertFails(List<String> page, String why) {
        assertThatThrownBy(() -> new Readme(page).verified())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(why);
    }
}
