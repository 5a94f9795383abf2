// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the script {@code demo} in a separate directory, as if just built: with the class path of this test. */
final class DemoRun implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final Process process;
    private final Path output;

    private DemoRun(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Installs the script in a directory that looks like the repository. */
    static void install(Path directory) throws IOException {
        Files.copy(Path.of("..", "demo"), directory.resolve("demo"));
        Files.copy(Path.of("..", "launch.sh"), directory.resolve("launch.sh"));
        Files.createDirectories(directory.resolve("examples/target"));
        Files.writeString(directory.resolve("examples/target/classpath"), System.getProperty("java.class.path"));
    }

    static DemoRun start(Path directory, String... args) throws IOException {
        return start(directory, Map.of(), args);
    }

    static DemoRun start(Path directory, Map<String, String> environment, String... args) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("sh", directory.resolve("demo").toString()));
        command.addAll(List.of(args));
        Path output = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return new DemoRun(builder.start(), output);
    }

    /** Waits for the end of the demo. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(Slack.of(LONGEST).toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("The demo has not ended within " + Slack.of(LONGEST));
        }
        return process.exitValue();
    }

    Process process() {
        return process;
    }

    /** Returns the output so far. */
    String output() {
        try {
            return Files.readString(output, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
