// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The snippets of a Markdown page: the blocks below marks such as
 * {@code <!-- snippet: QuickStart.java#quick-start -->}. Files that begin with {@code spring/} are in the starter's
 * tests, those with {@code kotlin/} in the examples in Kotlin, those with {@code handmade/} in the hand-written locks,
 * and those with {@code migration/} in the examples of migrations.
 */
final class Readme {
    private static final Pattern MARK = Pattern.compile("\\s*<!--\\s*snippet:\\s*(\\S+)#(\\S+)\\s*-->\\s*");

    private static final Pattern FENCE = Pattern.compile("```(java|properties|yaml)");

    /** Also a build script in Kotlin and a script in Lua, which are no snippets unless they have a mark. */
    private static final Pattern MARKED_FENCE = Pattern.compile("```(java|properties|yaml|kotlin|lua)");

    private static final String SPRING = "spring/";

    /** An application of its own, whose beans those of the other snippets must not meet. */
    private static final String FIRST = "spring/first/";

    private static final String TESTS = "test/";
    private static final String KOTLIN = "kotlin/";
    private static final String HANDMADE = "handmade/";
    private static final String MIGRATION = "migration/";
    private static final String QUARKUS = "quarkus/";

    private final List<String> lines;

    Readme(List<String> lines) {
        this.lines = lines;
    }

    /** Reads the comments of a Java file as if they were such a page. */
    static Readme ofJavadoc(List<String> source) {
        return new Readme(source.stream().map(Readme::markdown).toList());
    }

    private static String markdown(String line) {
        String text = line.strip();
        if (!text.startsWith("*")) {
            return "code";
        }
        text = text.substring(1);
        return switch (text.strip()) {
            case "<pre>{@code" -> "```java";
            case "}</pre>" -> "```";
            default -> text;
        };
    }

    /** Compares all snippets with their sources, and returns their names. */
    List<String> verified() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher mark = MARK.matcher(lines.get(i));
            if (mark.matches()) {
                String name = mark.group(1) + "#" + mark.group(2);
                List<String> block = SourceRegion.unindented(block(i + 1, name));
                List<String> source = source(mark.group(1), mark.group(2));
                if (!normal(block).equals(normal(source))) {
                    throw new AssertionError("Line " + (i + 1) + ": " + name + " is\n" + String.join("\n", source)
                            + "\nand not\n" + String.join("\n", block));
                }
                names.add(name);
            }
        }
        return names;
    }

    /** Returns the number of code blocks that could be snippets. */
    long blocks() {
        return IntStream.range(0, lines.size())
                .filter(i -> FENCE.matcher(lines.get(i).strip()).matches()
                        || MARKED_FENCE.matcher(lines.get(i).strip()).matches() && i > 0 && isMark(lines.get(i - 1)))
                .count();
    }

    private static boolean isMark(String line) {
        return MARK.matcher(line).matches();
    }

    private static List<String> source(String file, String region) {
        if (file.startsWith(TESTS)) {
            return region(Path.of("src", "test", "java", "io", "boltwork", "examples"), file, TESTS, region);
        }
        if (file.startsWith(KOTLIN)) {
            Path directory = Path.of("kotlin", "src", "main", "kotlin", "io", "boltwork", "examples", "kotlin");
            return region(directory, file, KOTLIN, region);
        }
        if (file.startsWith(HANDMADE)) {
            Path directory = Path.of("handmade", "src", "main", "java", "io", "boltwork", "examples", "handmade");
            return region(directory, file, HANDMADE, region);
        }
        if (file.startsWith(QUARKUS)) {
            Path directory = Path.of("quarkus", "src", "main", "java", "io", "boltwork", "examples", "quarkus");
            return region(directory, file, QUARKUS, region);
        }
        if (file.startsWith(MIGRATION)) {
            Path directory = Path.of("migration", "src", "main", "java", "io", "boltwork", "examples", "migration");
            return region(directory, file, MIGRATION, region);
        }
        if (file.startsWith(SPRING)) {
            Path sources = Path.of("..", "spring", "src", "test");
            String java = file.startsWith(FIRST) ? "java/io/boltwork/spring" : "java/io/boltwork/spring/docs";
            Path directory = sources.resolve(file.endsWith(".java") ? java : "resources/docs");
            return region(directory, file, SPRING, region);
        }
        return SourceRegion.lines(file, region);
    }

    private static List<String> region(Path directory, String file, String prefix, String region) {
        try {
            return SourceRegion.lines(
                    Files.readAllLines(directory.resolve(file.substring(prefix.length()))), file, region);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ignores the distance between a line and its comment. */
    private static List<String> normal(List<String> lines) {
        return lines.stream().map(line -> line.replaceAll("(\\S) +//", "$1 //")).toList();
    }

    private List<String> block(int from, String name) {
        int start = from;
        while (start < lines.size() && lines.get(start).isBlank()) {
            start++;
        }
        if (start == lines.size()
                || !MARKED_FENCE.matcher(lines.get(start).strip()).matches()) {
            throw new AssertionError("Line " + from + ": no ```java block below " + name);
        }
        int end = start + 1;
        while (end < lines.size() && !lines.get(end).strip().equals("```")) {
            end++;
        }
        return lines.subList(start + 1, end);
    }
}
