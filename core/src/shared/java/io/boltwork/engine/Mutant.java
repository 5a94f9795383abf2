// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A weakened rule: some pieces of one source file, and what is put in their place.
 *
 * @param seed where to begin the hunt: a seed that has caught it before
 * @param byRule whether no seed is known, but the test of a single rule
 * @param rule the weakened behavior
 */
record Mutant(String name, String file, long seed, boolean byRule, String rule, List<Change> changes) {

    private static final Pattern HEAD = Pattern.compile("== (\\w+) in (\\S+?)(?:, seed (\\d+)|(, by a rule))?");
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "boltwork");
    private static final Path LIST = Path.of("src", "test", "resources", "io", "boltwork", "mutants.txt");

    record Change(String from, String to) {}

    /** The mutants of the module's mutants.txt, in their order. */
    static List<Mutant> all() throws IOException {
        return parse(Files.readString(LIST));
    }

    private static List<Mutant> parse(String text) {
        List<Mutant> mutants = new ArrayList<>();
        for (String paragraph : text.split("\n(?=== )")) {
            List<String> lines = paragraph
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .toList();
            if (lines.isEmpty()) {
                continue;
            }
            Matcher head = HEAD.matcher(lines.get(0));
            if (!head.matches()) {
                throw new IllegalArgumentException(
                        "A mutant begins with '== NAME in File.java', not with " + lines.get(0));
            }
            long seed = head.group(3) == null ? 0 : Long.parseLong(head.group(3));
            mutants.add(new Mutant(
                    head.group(1),
                    head.group(2),
                    seed,
                    head.group(4) != null,
                    lines.get(1),
                    changes(lines.subList(2, lines.size()))));
        }
        return mutants;
    }

    private static List<Change> changes(List<String> lines) {
        List<Change> changes = new ArrayList<>();
        List<String> from = new ArrayList<>();
        List<String> to = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("-") && !to.isEmpty()) {
                changes.add(new Change(String.join("\n", from), String.join("\n", to)));
                from.clear();
                to.clear();
            }
            (line.startsWith("-") ? from : to).add(line.substring(Math.min(2, line.length())));
        }
        changes.add(new Change(String.join("\n", from), String.join("\n", to)));
        return changes;
    }

    /** The name of the class whose source is changed. */
    String className() {
        return "io.boltwork." + file.replace(".java", "").replace('/', '.');
    }

    /**
     * The weakened source.
     *
     * @throws IllegalStateException if a piece does not stand in the source exactly once
     */
    String source() throws IOException {
        String source = Files.readString(SOURCES.resolve(file));
        for (Change change : changes) {
            int at = source.indexOf(change.from);
            if (at < 0 || source.indexOf(change.from, at + 1) >= 0) {
                throw new IllegalStateException(name + " must be brought up to date: in " + file + " this stands "
                        + (at < 0 ? "nowhere" : "twice") + ":\n" + change.from);
            }
            source = source.replace(change.from, change.to);
        }
        return source;
    }
}
