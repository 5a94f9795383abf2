// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The jar {@code target/boltwork.jar}, which runs in JVMs of its own. */
final class RunnableJar {
    private static final Path FILE = Path.of("target", "boltwork.jar");

    private RunnableJar() {}

    /** Returns the jar. Skips the test if the jar has not been built, as in a build that ends before its phase. */
    static Path file() {
        assumeTrue(Files.isRegularFile(FILE), "no target/boltwork.jar, which 'mvn package' builds");
        return FILE;
    }

    /** Runs the command, without options for the JVM, as users do. */
    static ToolRun run(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                file().toAbsolutePath().toString()));
        command.addAll(List.of(args));
        return run(Map.of(), command);
    }

    /** Runs a command line with additional variables. */
    static ToolRun run(Map<String, String> environment, List<String> command) {
        try {
            Path out = Files.createTempFile("boltwork", ".out");
            Path err = Files.createTempFile("boltwork", ".err");
            try {
                ProcessBuilder builder =
                        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
                builder.environment().putAll(environment);
                Process process = builder.start();
                boolean ended = process.waitFor(Slack.seconds(60).toSeconds(), TimeUnit.SECONDS);
                process.destroyForcibly();
                assertThat(ended).as("the end of " + command).isTrue();
                return new ToolRun(process.exitValue(), Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(end);
        }
    }
}
