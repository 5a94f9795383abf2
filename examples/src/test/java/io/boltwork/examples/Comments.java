// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the comments and pages of the repository, and draws some of them to be read aloud, the same ones for a seed. In
 * the root directory, with a seed, a number of comments (100) and one of pages (10): {@code java
 * examples/src/test/java/io/boltwork/examples/Comments.java 7}.
 */
final class Comments {
    private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kt|lua|sql|js)");
    private static final Pattern FOREIGN = Pattern.compile("(.*/)?(target|node_modules|\\.[^/.][^/]*)/.*");

    /** A comment that has lines of its own, without its marks. */
    record Comment(Path file, int line, String text) {
        String opening() {
            return text.split("\\W", 2)[0];
        }
    }

    private Comments() {}

    public static void main(String... args) throws IOException {
        long seed = args.length > 0 ? Long.parseLong(args[0]) : 7;
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // small seeds give like sequences
        Path root = Path.of("");
        for (Comment comment : draw(all(root), args.length > 1 ? Integer.parseInt(args[1]) : 100, random)) {
            System.out.println(comment.file() + ":" + comment.line() + "\n  " + comment.text());
        }
        draw(files(root, Pattern.compile(".*\\.md")), args.length > 2 ? Integer.parseInt(args[2]) : 10, random)
                .forEach(System.out::println);
    }

    /** Returns all comments of sources under a directory, without those of licences and the bounds of snippets. */
    static List<Comment> all(Path root) throws IOException {
        List<Comment> found = new ArrayList<>();
        for (Path file : files(root, SOURCE)) {
            addAll(file, Files.readAllLines(file), found);
        }
        return found;
    }

    private static void addAll(Path file, List<String> lines, List<Comment> found) {
        String mark = file.toString().matches(".*\\.(lua|sql)") ? "-- " : "// ";
        for (int i = 0; i < lines.size(); i++) {
            int first = i;
            String line = lines.get(i).strip();
            StringBuilder text = new StringBuilder();
            if (line.startsWith("/*")) {
                while (!lines.get(i).contains("*/") && i < lines.size() - 1) {
                    text.append(' ').append(lines.get(i++).strip());
                }
                text.append(' ').append(lines.get(i).strip());
            } else if (line.startsWith(mark) && !line.startsWith("// SPDX") && !line.startsWith("-- SPDX")) {
                text.append(line.substring(mark.length()));
                while (i < lines.size() - 1 && lines.get(i + 1).strip().startsWith(mark)) {
                    text.append(' ').append(lines.get(++i).strip().substring(mark.length()));
                }
            }
            String plain = text.toString()
                    .replaceAll("/\\*+|\\*+/| \\*(?= |$)", " ")
                    .replaceAll("\\s+", " ")
                    .strip();
            if (!plain.isEmpty() && !plain.startsWith("@")) {
                found.add(new Comment(file, first + 1, plain));
            }
        }
    }

    private static List<Path> files(Path root, Pattern names) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> names.matcher(file.toString()).matches()
                            && !FOREIGN.matcher(file.toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    private static <T> List<T> draw(List<T> all, int count, Random random) {
        List<T> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, Math.min(count, shuffled.size()));
    }
}
