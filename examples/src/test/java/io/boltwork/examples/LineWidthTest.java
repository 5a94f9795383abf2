// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Lines of sources and scripts have at most 120 characters. A line with a word that fits on no line, such as a long URL
 * or a list of packages, may have more.
 */
class LineWidthTest {
    private static final Path ROOT = Path.of("..");
    private static final int WIDTH = 120;
    private static final Pattern CODE = Pattern.compile(".*\\.(java|kt|sh|lua|sql|xml|ya?ml|js|css)");

    /** Names of directories whose files are built, downloaded or kept by tools. */
    private static final Set<String> FOREIGN = Set.of("target", "node_modules");

    @Test
    void linesAreAtMost120CharactersLong() throws IOException {
        List<Path> sources = sources();
        List<String> tooLong = new ArrayList<>();
        for (Path source : sources) {
            int number = 0;
            for (String line : Files.readAllLines(source)) {
                number++;
                if (line.length() > WIDTH && canBeBroken(line)) {
                    tooLong.add(ROOT.relativize(source) + ":" + number + ": " + line.strip());
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(1_000);
        assertThat(tooLong).isEmpty();
    }

    private static boolean canBeBroken(String line) {
        int indent = line.length() - line.stripLeading().length();
        return Arrays.stream(line.strip().split(" "))
                                .mapToInt(String::length)
                                .max()
                                .orElseThrow()
                        + indent
                <= WIDTH;
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean hidden = name.startsWith(".")
                        && !directory.equals(ROOT)
                        && !Set.of(".ci", ".github").contains(name);
                return hidden || FOREIGN.contains(name) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && (CODE.matcher(file.toString()).matches() || isScript(file))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    /** Returns whether a file without an extension begins as a script does. */
    private static boolean isScript(Path file) throws IOException {
        if (file.getFileName().toString().contains(".")) {
            return false;
        }
        try (var in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(2), new byte[] {'#', '!'});
        }
    }
}
