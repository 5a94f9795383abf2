// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when the script builds, and its messages when it cannot. */
class DemoScriptTest {
    @TempDir
    private Path directory;

    private Path classPath;
    private Path bin;

    @BeforeEach
    void install() throws Exception {
        DemoRun.install(directory);
        classPath = directory.resolve("examples/target/classpath");
        bin = Files.createDirectory(directory.resolve("bin"));
    }

    @Test
    void buildsOnlyAfterAChange() throws Exception {
        Path source =
                Files.createDirectories(directory.resolve("core/src/main/java")).resolve("A.java");
        Files.writeString(source, "class A {}");
        age(classPath, 30); // later than the directories
        String built = Files.readString(classPath);
        tool(bin, "mvn", "printf %s '" + built + "' > '" + classPath + "'; touch '" + classPath + "'");
        String path = bin + File.pathSeparator + System.getenv("PATH");

        age(source, -60);
        assertThat(help(path)).startsWith("Usage:");
        age(source, 60);
        assertThat(help(path)).startsWith("Building...").contains("\nUsage:");
        age(source, -60);
        assertThat(help(path)).startsWith("Usage:");
        Files.writeString(classPath, ":" + directory.resolve("gone.jar"), StandardOpenOption.APPEND);
        assertThat(help(path)).startsWith("Building...");
        Files.delete(classPath);
        assertThat(help(path)).startsWith("Building...");
        assertThat(help(path)).startsWith("Usage:");
    }

    @Test
    void showsTheOutputOfMavenIfTheBuildFails() throws Exception {
        Files.delete(classPath);
        tool(bin, "mvn", "echo '[ERROR] no network'; exit 1");
        try (DemoRun demo = DemoRun.start(directory, Map.of("PATH", bin + ":" + System.getenv("PATH")))) {
            assertThat(demo.exitCode()).isEqualTo(3);
            assertThat(demo.output()).contains("[ERROR] no network", "The build failed");
        }
    }

    @Test
    void asksForMavenIfItIsMissing() throws Exception {
        Files.delete(classPath);
        for (String name : List.of("dirname", "sed", "head", "find")) {
            tool(bin, name, "exec '" + onPath(name) + "' \"$@\"");
        }
        try (DemoRun demo = DemoRun.start(directory, Map.of("PATH", bin.toString()))) {
            assertThat(demo.exitCode()).isEqualTo(2);
            assertThat(demo.output()).contains("there is no mvn on the PATH");
        }
    }

    @ParameterizedTest
    @CsvSource({"11.0.2, but the one in JAVA_HOME", "1.8.0_292, but the one in JAVA_HOME", "'', but there is none"})
    void asksForAJdk(String version, String why) throws Exception {
        Path home = directory.resolve("jdk");
        if (!version.isEmpty()) {
            tool(Files.createDirectories(home.resolve("bin")), "javac", "echo javac " + version);
        }
        try (DemoRun demo = DemoRun.start(directory, Map.of("JAVA_HOME", home.toString()))) {
            assertThat(demo.exitCode()).isEqualTo(2);
            assertThat(demo.output()).startsWith("The demo needs a JDK, 17 or later, " + why);
        }
    }

    @Test
    void handmadeLocksAreAModuleOfTheirOwn() throws Exception {
        Path target = Files.createDirectories(directory.resolve("examples/handmade/target"));
        Files.copy(classPath, target.resolve("classpath"));
        Path home = Files.createDirectories(directory.resolve("jdk/bin"));
        tool(home, "javac", "echo javac 17");
        tool(home, "java", "echo \"$@\"");
        Map<String, String> fake = Map.of("JAVA_HOME", home.getParent().toString());
        try (DemoRun demo = DemoRun.start(directory, fake, "--example", "handmade", "--stage", "6")) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            assertThat(demo.output())
                    .contains(target.resolve("classes").toString())
                    .endsWith("io.boltwork.examples.handmade.HandmadeDemo --stage 6\n");
        }
    }

    private String help(String path) throws Exception {
        try (DemoRun demo = DemoRun.start(directory, Map.of("PATH", path), "--help")) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            return demo.output();
        }
    }

    private static Path onPath(String name) {
        return List.of(System.getenv("PATH").split(File.pathSeparator)).stream()
                .map(entry -> Path.of(entry, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    private static void tool(Path bin, String name, String does) throws IOException {
        Path tool = bin.resolve(name);
        Files.writeString(tool, "#!/bin/sh\n" + does + "\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
    }

    private static void age(Path file, int seconds) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(seconds)));
    }
}
