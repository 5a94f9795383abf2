// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code in the API's Javadoc was compiled and run. Also tests that check with wrong comments. */
class JavadocTest {
    private static final Path API = Path.of("..", "core", "src", "main", "java", "io", "boltwork");
    private static final Path QUORUM = Path.of("..", "quorum", "src", "main", "java", "io", "boltwork", "quorum");
    private static final Path STARTER = Path.of("..", "spring", "src", "main", "java", "io", "boltwork", "spring");
    private static final Path ANNOTATION =
            Path.of("..", "annotation", "src", "main", "java", "io", "boltwork", "annotation");
    private static final Path REACTIVE = Path.of("..", "reactive", "src", "main", "java", "io", "boltwork");

    @Test
    void examplesOfFencedLockMatchTheirSources() throws IOException {
        assertThat(page("FencedLock").verified())
                .containsExactly(
                        "ClassExamples.java#FencedLock",
                        "ClassExamples.java#Condition",
                        "ClassExamples.java#acquireAsync");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Lease",
                "LockClient",
                "LockOptions",
                "LockListener",
                "LockInspector",
                "Leadership",
                "Replication",
                "DistributedLatch",
                "FencedReadWriteLock",
                "LeasedSemaphore",
                "MultiLock"
            })
    void examplesOfClassesMatchTheirSources(String type) throws IOException {
        assertThat(page(type).verified()).containsExactly("ClassExamples.java#" + type);
    }

    @Test
    void examplesOfGuardsMatchTheirSources() throws IOException {
        assertThat(page("fence/JdbcFence").verified()).containsExactly("GuardedStock.java#JdbcFence");
        assertThat(page("fence/RedisFence").verified())
                .containsExactly("GuardedCache.java#RedisFence", "GuardedCache.java#include");
    }

    @Test
    void exampleOfOwnersMatchesItsSource() throws IOException {
        assertThat(page("LockOwner").verified()).containsExactly("OwnerExample.java#owner");
    }

    @ParameterizedTest
    @ValueSource(strings = {"QuorumBackend", "QuorumOptions"})
    void examplesOfQuorumsMatchTheirSources(String type) throws IOException {
        List<String> source = Files.readAllLines(QUORUM.resolve(type + ".java"));
        assertThat(Readme.ofJavadoc(source).verified()).containsExactly("ClassExamples.java#" + type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DistributedLock", "LeaseOf", "LockNaming", "LockRefusal", "CurrentLease"})
    void examplesOfTheAnnotationMatchTheStartersSources(String type) throws IOException {
        examplesMatchTheStartersSources(ANNOTATION.resolve(type + ".java"));
    }

    @Test
    void examplesOfTheTemplateMatchTheStartersSources() throws IOException {
        examplesMatchTheStartersSources(STARTER.resolve("LockTemplate.java"));
    }

    private static void examplesMatchTheStartersSources(Path file) throws IOException {
        List<String> source = Files.readAllLines(file);
        long examples = source.stream().filter(line -> line.contains("<pre>")).count();
        assertThat(Readme.ofJavadoc(source).verified())
                .hasSize((int) examples)
                .allMatch(name -> name.startsWith("spring/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactor/ReactorLocks", "rxjava/RxLocks"})
    void examplesOfReactiveLocksMatchTheirSources(String type) throws IOException {
        List<String> source = Files.readAllLines(REACTIVE.resolve(type + ".java"));
        assertThat(Readme.ofJavadoc(source).verified()).hasSize(1);
    }

    @Test
    void examplesOfThePackageMatchTheirSources() throws IOException {
        long examples = Files.readAllLines(API.resolve("package-info.java")).stream()
                .filter(line -> line.contains("<pre>"))
                .count();
        assertThat(page("package-info").verified()).hasSize((int) examples).hasSizeGreaterThan(5);
    }

    @Test
    void differentExampleFails() {
        List<String> comment = List.of(
                "/**",
                " * <!-- snippet: ClassExamples.java#FencedLock -->",
                " * <pre>{@code",
                " * lock();",
                " * }</pre>");
        assertThatThrownBy(() -> Readme.ofJavadoc(comment).verified()).hasMessageContaining("and not\nlock();");
    }

    @Test
    void markWithoutAnExampleFails() {
        List<String> comment =
                List.of(" * <!-- snippet: ClassExamples.java#FencedLock -->", " * text", " */", "lock();");
        assertThatThrownBy(() -> Readme.ofJavadoc(comment).verified()).hasMessageContaining("Line 1: no ```java block");
    }

    private static Readme page(String type) throws IOException {
        return Readme.ofJavadoc(Files.readAllLines(API.resolve(type + ".java")));
    }
}
