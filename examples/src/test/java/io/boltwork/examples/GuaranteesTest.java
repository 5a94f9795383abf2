// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every promise in docs/inside/guarantees.md, every figure measured for one, and every behavior that Redisson tests, too, names
 * existing tests.
 */
class GuaranteesTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern NAME = Pattern.compile("`([a-z]\\w+)`");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/inside/guarantees.md",
                "docs/inside/measurements/promises.md",
                "docs/inside/measurements/redisson-tests.md"
            })
    void everyPromiseNamesTestsThatExist(String page) throws IOException {
        String sources = sources();
        List<String> rows = Files.readAllLines(ROOT.resolve(page)).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| promise"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(20);
        List<String> missing = new ArrayList<>();
        for (String row : rows) {
            // guarantees.md has a column of tests for all kinds of locks, or one for each kind
            int from = page.endsWith("guarantees.md") ? row.indexOf('|', 2) : row.lastIndexOf('|', row.length() - 2);
            String tests = row.substring(from);
            for (String test :
                    NAME.matcher(tests).results().map(MatchResult::group).toList()) {
                if (!sources.contains("void " + test.replace("`", "") + "(")) {
                    missing.add(test);
                }
            }
        }
        assertThat(missing).as("missing tests that " + page + " names").isEmpty();
    }

    private static String sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(GuaranteesTest::read)
                    .collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
