// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Prose of the pages wraps at 120 characters, so that a change shows as few lines. Tables, code and long links do not
 * wrap.
 */
class PageWidthTest {
    private static final Path ROOT = Path.of("..");
    private static final int WIDTH = 120;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "docs/start",
                "docs/move",
                "docs/run",
                "docs/inside",
                "docs/inside/adr",
                "docs/inside/measurements",
                "docs/zh"
            })
    void linesOfPagesWrap(String folder) throws IOException {
        List<String> tooLong = new ArrayList<>();
        int pages = 0;
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            for (Path page :
                    files.filter(file -> file.toString().endsWith(".md")).toList()) {
                pages++;
                boolean code = false;
                for (String line : Files.readAllLines(page)) {
                    boolean fence = line.strip().startsWith("```");
                    code ^= fence;
                    if (!code && !fence && line.length() > WIDTH && canBeWrapped(line)) {
                        tooLong.add(page.getFileName() + ": " + line);
                    }
                }
            }
        }
        assertThat(pages).isPositive();
        assertThat(tooLong).isEmpty();
    }

    private static boolean canBeWrapped(String line) {
        String text = line.strip();
        return text.substring(text.startsWith("- ") ? 2 : 0).contains(" ") && !text.matches("[|#<!].*");
    }
}
