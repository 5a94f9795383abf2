// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages for contributors name only types, members, packages and files that exist. */
class NamesInPagesTest {
    private static final Path ROOT = Path.of("..");

    /** Code in a line of prose, or a link to another page. */
    private static final Pattern IN_PROSE = Pattern.compile("`([^`\n]+)`|]\\(([^)#:]+)[#)]");

    /** A type or a package. */
    private static final Pattern IN_DRAWING =
            Pattern.compile("(?<![*\\w])(?:(?:[A-Z][a-z]+){2,}|io\\.boltwork[.a-z]*)\\b");

    private static final Pattern TYPE = Pattern.compile("([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)");
    private static final Pattern PACKAGE = Pattern.compile("io\\.boltwork(\\.[a-z]+)*");
    private static final Pattern FILE = Pattern.compile("\\.?[\\w-]+(/[\\w.-]+)+/?|[\\w-]+\\.(lua|txt|md|js|sql|xml)");

    private static final Set<String> MADE = Set.of(".git", "target", "node_modules");

    private static Set<Path> paths;
    private static Map<String, List<Path>> types;

    @BeforeAll
    static void list() throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            paths = all.map(ROOT::relativize).filter(path -> !isMade(path)).collect(Collectors.toSet());
        }
        types = paths.stream()
                .filter(path -> path.toString().endsWith(".java"))
                .collect(Collectors.groupingBy(
                        path -> path.getFileName().toString().replace(".java", "")));
    }

    private static boolean isMade(Path path) {
        return StreamSupport.stream(path.spliterator(), false).anyMatch(part -> MADE.contains(part.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ARCHITECTURE.md", "CONTRIBUTING.md"})
    void namesExist(String page) throws IOException {
        List<String> names = new ArrayList<>();
        boolean isDrawing = false;
        for (String part : Files.readString(ROOT.resolve(page)).split("```")) {
            (isDrawing ? IN_DRAWING : IN_PROSE)
                    .matcher(part)
                    .results()
                    .map(found -> found.group().replaceAll("[`\\]()#]", ""))
                    .forEach(names::add);
            isDrawing = !isDrawing;
        }
        assertThat(names).hasSizeGreaterThan(50);
        assertThat(names.stream().filter(name -> !exists(name))).isEmpty();
    }

    /** Returns whether a name exists, or has the form of none that is looked for. */
    private static boolean exists(String name) {
        Matcher type = TYPE.matcher(name);
        if (type.matches()) {
            return types.getOrDefault(type.group(1), List.of()).stream()
                    .anyMatch(file -> Stream.of(type.group(2).split("\\.")).allMatch(member -> hasWord(file, member)));
        }
        if (PACKAGE.matcher(name).matches()) {
            return isPath(name.replace('.', '/'));
        }
        return !FILE.matcher(name).matches() || name.contains("target/") || isPath(name);
    }

    private static boolean isPath(String name) {
        return paths.stream().anyMatch(path -> path.endsWith(name));
    }

    private static boolean hasWord(Path file, String word) {
        try {
            return Pattern.compile("\\b" + word + "\\b")
                    .matcher(Files.readString(ROOT.resolve(file)))
                    .find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
