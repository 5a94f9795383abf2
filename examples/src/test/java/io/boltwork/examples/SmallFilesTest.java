// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No small file has a type that one class alone uses. Such a type is nested in that class. Two kinds of types have a
 * file of their own however small they are: types that users import, and implementations that stand beside others of
 * the same interface in their folder, because a reader looks for them there.
 */
class SmallFilesTest {
    private static final int SMALL = 30;

    private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*+\"|//[^\n]*|/\\*(?s:.*?)\\*/");
    private static final Pattern NAME = Pattern.compile("[A-Z]\\w*");

    /**
     * A file of main code or of tests.
     *
     * @param names all names of types and constants in it, without those in comments and strings
     * @param supertypes the names that its type extends or implements
     * @param api whether users import its type, so that the comment says since which version it exists
     */
    private record Source(Path path, String name, Set<String> names, Set<String> supertypes, boolean api, long lines) {
        static Source of(Path path) throws IOException {
            String name = path.getFileName().toString().replace(".java", "");
            String text = Files.readString(path);
            String code = TEXT.matcher(text).replaceAll(" ");
            Matcher type = Pattern.compile(" " + name + "\\b[^{]*? (?:extends|implements) ([^{]*)")
                    .matcher(code);
            Set<String> supertypes = type.find() ? namesIn(type.group(1)) : Set.of();
            return new Source(
                    path, name, namesIn(code), supertypes, text.contains("\n * @since "), CodeSizeTest.lines(path));
        }

        boolean isMain() {
            return path.toString().contains("/src/main/java/");
        }

        boolean isSmall() {
            return isMain() && lines < SMALL;
        }

        /** Returns whether another type in the folder has a supertype of the project that this one has too. */
        boolean hasSiblings(List<Source> sources) {
            Set<String> own = sources.stream().map(Source::name).collect(Collectors.toCollection(HashSet::new));
            own.retainAll(supertypes);
            return sources.stream()
                    .filter(other -> other != this && other.path.getParent().equals(path.getParent()))
                    .anyMatch(other -> other.supertypes.stream().anyMatch(own::contains));
        }
    }

    @Test
    void aSmallTypeThatOneClassUsesIsNestedInIt() throws IOException {
        List<Source> sources = sources(
                "core",
                "quorum",
                "store",
                "testkit",
                "contract",
                "redis",
                "jdbc",
                "zookeeper",
                "etcd",
                "annotation",
                "spring",
                "reactive",
                "tools",
                "bench");
        List<Source> small = sources.stream().filter(Source::isSmall).toList();
        assertThat(small).hasSizeGreaterThan(50);
        List<String> alone = new ArrayList<>();
        for (Source source : small) {
            List<Source> users = sources.stream()
                    .filter(other -> other != source && other.names().contains(source.name()))
                    .toList();
            if (users.size() == 1 && users.get(0).isMain() && !source.api() && !source.hasSiblings(sources)) {
                alone.add(source.name() + " in " + users.get(0).name());
            }
        }
        assertThat(alone)
                .as("types to be nested in the only class that uses them")
                .isEmpty();
    }

    private static Set<String> namesIn(String code) {
        return NAME.matcher(code).results().map(found -> found.group()).collect(Collectors.toSet());
    }

    /** Returns the files of these modules and of the modules in their folders. */
    private static List<Source> sources(String... modules) throws IOException {
        List<Source> found = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(Path.of("..", module))) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    if (file.toString().contains("/src/") && !file.toString().endsWith("-info.java")) {
                        found.add(Source.of(file));
                    }
                }
            }
        }
        return found;
    }
}
