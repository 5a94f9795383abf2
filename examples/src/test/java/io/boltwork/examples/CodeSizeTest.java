// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files are short enough to hold one thing, and methods to be read at once. Prints the longest ones. */
class CodeSizeTest {
    private static final int LONGEST_FILE = 700;
    private static final int LONGEST_METHOD = 50;

    /** A file or a method, and its lines. */
    private record Size(String name, long lines) {}

    @Test
    void filesAndMethodsAreShort() throws IOException {
        List<Path> sources = sources(
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
                "spring");
        List<Size> files = new ArrayList<>();
        for (Path source : sources) {
            files.add(new Size(source.getFileName().toString(), lines(source)));
        }
        List<Size> methods = methods(sources);
        assertThat(files).hasSizeGreaterThan(200);
        assertThat(methods).hasSizeGreaterThan(2_000);
        System.out.println("longest file: " + longest(files) + ", longest method: " + longest(methods));
        assertThat(longest(files).lines()).as(longest(files).name()).isLessThanOrEqualTo(LONGEST_FILE);
        assertThat(longest(methods).lines()).as(longest(methods).name()).isLessThanOrEqualTo(LONGEST_METHOD);
    }

    /** Returns the number of lines without that of the licence. */
    static long lines(Path source) throws IOException {
        return Files.readAllLines(source).stream()
                .filter(line -> !line.startsWith("// SPDX-"))
                .count();
    }

    private static Size longest(List<Size> sizes) {
        return sizes.stream().max(Comparator.comparingLong(Size::lines)).orElseThrow();
    }

    /** Returns the methods, from the line of their names or annotations to their last ones. */
    private static List<Size> methods(List<Path> sources) throws IOException {
        List<Size> methods = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(sources));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String file =
                        Path.of(unit.getSourceFile().getName()).getFileName().toString();
                new TreeScanner<@Nullable Void, @Nullable Void>() {
                    @Override
                    public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
                        long from = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
                        long to = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, method));
                        methods.add(new Size(file + " " + method.getName(), to - from + 1));
                        return super.visitMethod(method, nothing);
                    }
                }.scan(unit, null);
            }
        }
        return methods;
    }

    private static List<Path> sources(String... modules) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !file.endsWith("package-info.java") && !file.endsWith("module-info.java"))
                        .forEach(found::add);
            }
        }
        return found;
    }
}
