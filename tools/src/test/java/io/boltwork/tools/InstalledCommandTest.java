// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command that {@code release/tools} packs, unpacked elsewhere, and the archive of classes with which it starts.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class InstalledCommandTest {
    private static final Duration LONGEST_START = Duration.ofSeconds(1);
    private static final int STARTS = 5;
    private static final int LARGEST_MEGABYTES = 110;
    private static final Pattern CLASSES = Pattern.compile("(\\d+) classes( \\((?<shared>\\d+) shared\\))?");
    private static final String CHECKOUT =
            Path.of("..", "boltwork").toAbsolutePath().normalize().toString();

    @TempDir
    private static Path directory;

    private static RedisServer redis;
    private static Path installed;

    /** A link in a directory for commands. */
    private static Path link;

    @BeforeAll
    static void install() throws IOException {
        RunnableJar.file();
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "releases are made on Linux");
        redis = RedisServer.start();
        run(Path.of("..", "release", "tools").toString(), directory.toString());
        try (Stream<Path> packed = Files.list(directory)) {
            Path tar = packed.findFirst().orElseThrow();
            Path there = Files.createDirectory(directory.resolve("a b"));
            run("tar", "-C", there.toString(), "-xzf", tar.toString());
            installed = there.resolve(tar.getFileName().toString().replace(".tar.gz", ""));
        }
        link = Files.createSymbolicLink(
                Files.createDirectory(directory.resolve("bin")).resolve("boltwork"),
                Path.of("..", "a b", installed.getFileName().toString(), "bin", "boltwork"));
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            redis.close();
        }
    }

    private static ToolRun run(String... command) {
        Map<String, String> environment =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "BOLTWORK_URI", redis.uri());
        ToolRun run = RunnableJar.run(environment, List.of(command));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        return run;
    }

    private static String java(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    /** Returns which part of the classes comes from an archive, while a command runs. */
    private static double shared(String... launcher) {
        List<String> line =
                new ArrayList<>(List.of("sh", "-c", "exec \"$@\" exec shared -- \"$0\" $$ VM.metaspace", java("jcmd")));
        line.addAll(List.of(launcher));
        String text = run(line.toArray(String[]::new)).out();
        Matcher classes = CLASSES.matcher(text);
        assertThat(classes.find()).as(text).isTrue();
        String shared = classes.group("shared");
        return shared == null ? 0 : Double.parseDouble(shared) / Double.parseDouble(classes.group(1));
    }

    /** An archive of this Java alone, without classes of Boltwork, has less than a third. */
    private static void assertThatArchiveIsUsed(String... launcher) {
        assertThat(shared(launcher)).isGreaterThan(0.7);
    }

    private static void assertThatArchiveIsNotUsed() {
        assertThat(shared(link.toString())).isLessThan(0.5);
    }

    private static Path archive() {
        return installed.resolve("lib/boltwork.jsa");
    }

    @Test
    void anUnpackedCommandUsesItsArchiveFromALink() {
        assertThat(run(link.toString(), "exec", "it's 5", "--", "sh", "-c", "echo \"$BOLTWORK_LOCK\"")
                        .out())
                .isEqualTo("it's 5\n");
        assertThatArchiveIsUsed(link.toString());
        assertThatArchiveIsUsed(installed.resolve("bin/boltwork").toString());
    }

    @Test
    void theCheckoutUsesAnArchive() {
        assertThatArchiveIsUsed(CHECKOUT);
    }

    @Test
    void theJarAloneUsesAnArchiveThatAnOptionNames() {
        String jar = RunnableJar.file().toAbsolutePath().toString();
        String own = directory.resolve("own.jsa").toString();
        run(java("java"), "-XX:ArchiveClassesAtExit=" + own, "-jar", jar, "exec", "archive", "--", "true");
        assertThatArchiveIsUsed(
                java("java"),
                "-XX:SharedArchiveFile=" + own,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                jar);
    }

    @Test
    void itKeepsADescriptorThatTheArchiveWouldUse() {
        String script = "exec \"$0\" exec nine -- cat /dev/fd/9 9<\"$1\"";
        String licence = installed.resolve("LICENSE").toString();
        assertThat(run("sh", "-c", script, link.toString(), licence).out()).contains("Apache License");
    }

    @Test
    void itIsComplete() {
        assertThat(run(
                                "head",
                                "-n",
                                "1",
                                installed.resolve("share/man/man1/boltwork.1").toString())
                        .out())
                .startsWith(".TH \"BOLTWORK\" \"1\"");
        Path completion = installed.resolve("share/bash-completion/completions/boltwork");
        assertThat(run("bash", "-c", "source \"$0\"; complete -p boltwork", completion.toString())
                        .out())
                .endsWith(" boltwork\n");
        assertThat(run(link.toString(), "--version").out()).startsWith("boltwork 0.");
        assertThat(installed).isDirectoryContaining("glob:**/LICENSE").isDirectoryContaining("glob:**/NOTICE");
    }

    /** {@link #run} checks that nothing is printed about it. */
    @Test
    void anArchiveThatDoesNotFitIsLeftOutAndCanBeMadeAgain() throws IOException {
        Path java = installed.resolve("lib/boltwork.jsa.java");
        Path jar = installed.resolve("lib/boltwork.jar");
        FileTime time = Files.getLastModifiedTime(jar);

        Path other = Files.copy(java, java.resolveSibling("other"));
        Files.writeString(java, "JAVA_VERSION=\"17.0.1\"\n");
        assertThatArchiveIsNotUsed();
        Files.move(other, java, StandardCopyOption.REPLACE_EXISTING);
        assertThatArchiveIsUsed(link.toString());

        Files.setLastModifiedTime(jar, FileTime.from(time.toInstant().minusSeconds(60)));
        assertThatArchiveIsNotUsed();
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now()));
        assertThatArchiveIsNotUsed();

        Files.writeString(archive(), "not an archive");
        assertThatArchiveIsNotUsed();
        Files.writeString(archive(), "");
        assertThatArchiveIsNotUsed();

        assertThat(run(installed.resolve("lib/archive").toString()).out()).startsWith(archive() + " is for Java ");
        assertThatArchiveIsUsed(link.toString());
    }

    @Test
    void itAsksForJava17() throws IOException {
        Path home = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
        Map<String, String> environment = Map.of("JAVA_HOME", home.toString());
        List<String> command = List.of(link.toString(), "exec", "x", "--", "true");
        assertThat(RunnableJar.run(environment, command))
                .isEqualTo(new ToolRun(
                        ExitCode.DEFECT,
                        "",
                        "boltwork: Java, 17 or later, is needed, but there is none in JAVA_HOME (" + home
                                + "): see https://adoptium.net\n"));
        Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        assertThat(RunnableJar.run(environment, command).err()).contains("but the one in JAVA_HOME");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"1.8.0_292\"\n");
        assertThat(RunnableJar.run(environment, command).err()).contains("but the one in JAVA_HOME");
    }

    /** The fastest of several starts counts, because other tests may run at the same time. */
    @Test
    void itStartsFastAndStaysSmall() {
        String memory = "sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/\"$0\"/status";
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < STARTS && fastest > LONGEST_START.toMillis(); i++) {
            long start = System.currentTimeMillis();
            String out = run("sh", "-c", "exec \"$0\" exec x -- sh -c \"date +%s%N; $1\" $$", link.toString(), memory)
                    .out();
            List<Long> numbers = out.lines().map(Long::parseLong).toList();
            fastest = Math.min(fastest, numbers.get(0) / 1_000_000 - start);
            assertThat(numbers.get(1) / 1024).isLessThanOrEqualTo(LARGEST_MEGABYTES);
        }
        // three times, for machines on which other tests run meanwhile
        assertThat(Duration.ofMillis(fastest)).isLessThan(Slack.of(LONGEST_START.multipliedBy(3)));
    }

    /** Writes the list from which archives are made, without the classes that are in each archive of Java. */
    @Test
    @EnabledIfSystemProperty(named = "boltwork.recordClasses", matches = "true", disabledReason = "changes a source")
    void recordClasses() throws IOException {
        Path list = directory.resolve("classes");
        List<String> classes = new ArrayList<>();
        for (String command : List.of("exec x -- true", "ls", "describe x", "--help")) {
            List<String> line = new ArrayList<>(List.of(
                    java("java"),
                    "-Xshare:off",
                    "-XX:DumpLoadedClassList=" + list,
                    "-cp",
                    RunnableJar.file().toString(),
                    BoltworkCommand.class.getName()));
            line.addAll(List.of(command.split(" ")));
            run(line.toArray(String[]::new));
            classes.addAll(Files.readAllLines(list));
        }
        List<String> known = Files.readAllLines(Path.of(System.getProperty("java.home"), "lib", "classlist"));
        Files.write(
                Path.of("src/main/install/lib/boltwork.classlist"),
                classes.stream()
                        .filter(line -> !line.startsWith("#") && !line.matches(".*(LambdaForm\\$|Proxy\\d).*"))
                        .filter(line -> line.startsWith("@") || !line.contains("$$Lambda"))
                        .sorted()
                        .distinct()
                        .filter(line -> !known.contains(line))
                        .toList());
    }
}
