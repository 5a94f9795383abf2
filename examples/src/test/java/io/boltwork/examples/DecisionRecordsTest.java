// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A record of a decision is short: its context, the decision and its price. */
class DecisionRecordsTest {
    private static final Path FOLDER = Path.of("..", "docs", "inside", "adr");
    private static final int LINES = 25;

    static List<Path> records() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().matches("\\d{4}-.*\\.md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void recordIsShortAndComplete(Path record) throws IOException {
        List<String> lines = Files.readAllLines(record);
        assertThat(lines).hasSizeLessThanOrEqualTo(LINES);
        assertThat(lines).first().asString().startsWith("# " + number(record) + ". ");
        for (String part : List.of("**Context.** ", "**Decision.** ", "**Price.** ")) {
            assertThat(lines).as(part).filteredOn(line -> line.startsWith(part)).hasSize(1);
        }
    }

    @Test
    void listNamesEachRecord() throws IOException {
        List<String> listed = Files.readAllLines(FOLDER.resolve("README.md")).stream()
                .filter(line -> line.contains(".md)"))
                .map(line -> line.replaceFirst("\\[.*]", "[]"))
                .toList();
        assertThat(listed)
                .isNotEmpty()
                .isEqualTo(records().stream()
                        .map(record -> number(record) + ". [](" + record.getFileName() + ")")
                        .toList());
    }

    private static int number(Path record) {
        return Integer.parseInt(record.getFileName().toString().substring(0, 4));
    }
}
