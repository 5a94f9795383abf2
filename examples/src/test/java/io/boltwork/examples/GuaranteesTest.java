// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every promise in docs/inside/guarantees.md, every figure measured for one, and every behavior that Redisson tests,
 * too, names existing tests.
 */
class GuaranteesTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern NAME = Pattern.compile("`([a-z]\\w+)`");
    private static final Pattern ITEM = Pattern.compile("(?m)^- .*(?:\\R {2}.*)*");

    @Test
    void everyPromiseNamesTestsThatExist() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/inside/guarantees.md"));
        String promises = page.substring(page.indexOf("\n## Exclusion"), page.indexOf("\n## Limits"));
        List<String> tests = ITEM.matcher(promises)
                .results()
                .map(MatchResult::group)
                .map(promise -> promise.replaceAll("\\s+", " "))
                .map(promise -> promise.substring(promise.lastIndexOf(": ")))
                .toList();
        assertThat(tests)
                .hasSizeGreaterThan(100)
                .allSatisfy(names -> assertThat(names).containsPattern(NAME));
        assertExist(tests);
    }

    @ParameterizedTest
    @ValueSource(strings = {"promises.md", "redisson-tests.md"})
    void everyFigureNamesTestsThatExist(String page) throws IOException {
        List<String> tests = Files.readAllLines(
                        ROOT.resolve("docs/inside/measurements").resolve(page))
                .stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| promise"))
                .map(row -> row.substring(row.lastIndexOf('|', row.length() - 2)))
                .toList();
        assertThat(tests).hasSizeGreaterThan(20);
        assertExist(tests);
    }

    private static void assertExist(List<String> tests) throws IOException {
        String sources = sources();
        assertThat(tests.stream()
                        .flatMap(names -> NAME.matcher(names).results())
                        .map(name -> name.group(1))
                        .filter(test -> !sources.contains("void " + test + "(")))
                .as("tests that are missing")
                .isEmpty();
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
