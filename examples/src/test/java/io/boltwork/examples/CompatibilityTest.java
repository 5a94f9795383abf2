// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * docs/run/compatibility.md says of each package that has public types how stable it is, and each public type says
 * since when it exists.
 */
class CompatibilityTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern ROW = Pattern.compile("\\| \\*{0,2}(API|SPI|internal)\\*{0,2} \\|(.*)\\|");
    private static final Pattern PACKAGE = Pattern.compile("`(io\\.boltwork[\\w.]*)`");

    /** The public top-level types of published modules by package, and whether their comments have a since tag. */
    private static final Map<String, Map<String, Boolean>> TYPES = new TreeMap<>();

    /** The stability of a package, by package. */
    private static final Map<String, String> PAGE = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        for (String line : Files.readAllLines(ROOT.resolve("docs/run/compatibility.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                Matcher name = PACKAGE.matcher(row.group(2));
                while (name.find()) {
                    assertThat(PAGE.put(name.group(1), row.group(1)))
                            .as("%s is listed twice", name.group(1))
                            .isNull();
                }
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(sources()));
            DocTrees docs = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree named
                            && named.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
                        DocCommentTree comment = docs.getDocCommentTree(TreePath.getPath(unit, type));
                        boolean since = comment != null
                                && comment.getBlockTags().stream()
                                        .anyMatch(tag -> tag.toString().matches("@since \\d+\\.\\d+\\.\\d+"));
                        TYPES.computeIfAbsent(unit.getPackageName().toString(), unused -> new TreeMap<>())
                                .put(named.getSimpleName().toString(), since);
                    }
                }
            }
        }
        readKotlin();
    }

    /** Reads the functions in Kotlin, each of which says that it is public. */
    private static void readKotlin() throws IOException {
        for (Path file : files(ROOT.resolve("kotlin/src/main/kotlin"), ".kt")) {
            String before = "";
            String name = "";
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith("package ")) {
                    name = line.substring("package ".length());
                } else if (line.startsWith("public ")) {
                    TYPES.computeIfAbsent(name, unused -> new TreeMap<>())
                            .put(line, before.matches("(?s).* @since \\d+\\.\\d+\\.\\d+\\s*\\*/\\s*"));
                }
                before = line.isBlank() ? "" : before + line + "\n";
            }
        }
    }

    private static List<Path> files(Path directory, String extension) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(extension)).toList();
        }
    }

    @Test
    void eachPackageWithPublicTypesIsListed() {
        assertThat(PAGE.keySet()).isEqualTo(TYPES.keySet()).hasSizeGreaterThan(20);
    }

    @Test
    void eachPublicTypeSaysSinceWhen() {
        List<String> without = new ArrayList<>();
        TYPES.forEach((name, types) -> {
            if (!"internal".equals(PAGE.get(name))) {
                types.forEach((type, since) -> {
                    if (!since) {
                        without.add(name + "." + type);
                    }
                });
            }
        });
        assertThat(without).as("types without @since").isEmpty();
    }

    @Test
    void exportedPackagesAreNotInternal() throws IOException {
        for (String module : List.of("core", "quorum", "store")) {
            Matcher export = Pattern.compile("exports (\\S+);")
                    .matcher(Files.readString(ROOT.resolve(module).resolve("src/main/java/module-info.java")));
            Set<String> exported = export.results().map(found -> found.group(1)).collect(Collectors.toSet());
            for (String name : packages(module)) {
                assertThat(PAGE.get(name).equals("internal")).as(name).isNotEqualTo(exported.contains(name));
            }
        }
    }

    @Test
    void theBaselineIsComparedForTheApiAlone() throws IOException {
        Matcher exclude = Pattern.compile("<exclude>(io\\.boltwork\\.[\\w.]+)</exclude>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")));
        Set<String> excluded = exclude.results().map(found -> found.group(1)).collect(Collectors.toSet());
        PAGE.forEach((name, stability) -> assertThat(
                        excluded.stream().anyMatch(part -> name.equals(part) || name.startsWith(part + ".")))
                .as(name)
                .isEqualTo(!stability.equals("API")));
    }

    @Test
    void eachArtifactOfTheBomHasAConsumer() throws IOException {
        Path consumers = ROOT.resolve("consumers");
        Set<String> published = artifacts(ROOT.resolve("bom/pom.xml"));
        published.remove("boltwork-bom");
        Set<String> all = artifacts(consumers.resolve("all/pom.xml"));
        assertThat(all).containsAll(published);
        for (String artifact : published) {
            Path consumer = consumers.resolve(artifact.substring("boltwork-".length()));
            assertThat(artifacts(consumer.resolve("pom.xml"))).contains(artifact);
            assertThat(Files.readString(consumers.resolve("pom.xml")))
                    .contains("<module>" + consumer.getFileName() + "</module>");
        }
    }

    private static Set<String> artifacts(Path pom) throws IOException {
        return Pattern.compile("<artifactId>(boltwork-[\\w-]+)</artifactId>")
                .matcher(Files.readString(pom))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> packages(String module) throws IOException {
        Set<String> found = new TreeSet<>();
        Path java = ROOT.resolve(module).resolve("src/main/java");
        try (Stream<Path> files = Files.walk(java)) {
            files.filter(file -> file.endsWith("package-info.java"))
                    .map(file -> java.relativize(file.getParent()).toString().replace('/', '.'))
                    .forEach(found::add);
        }
        return found;
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        Matcher module = Pattern.compile("<module>(\\S+)</module>").matcher(Files.readString(ROOT.resolve("pom.xml")));
        while (module.find()) {
            Path directory = ROOT.resolve(module.group(1));
            Path java = directory.resolve("src/main/java");
            if (Files.exists(java)
                    && !Files.readString(directory.resolve("pom.xml")).contains("<maven.deploy.skip>true")) {
                files(java, ".java").stream()
                        .filter(file -> !file.endsWith("module-info.java") && !file.endsWith("package-info.java"))
                        .forEach(found::add);
            }
        }
        return found;
    }
}
