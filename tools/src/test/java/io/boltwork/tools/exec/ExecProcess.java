// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.testkit.wait.Slack;
import io.boltwork.tools.BoltworkCommand;
import io.boltwork.tools.SlowAwait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real process that runs {@code boltwork exec}, in a directory of its own. */
final class ExecProcess implements AutoCloseable {
    /**
     * The number of checks in a row without a new beat after the last one: 1.5 s. A beat takes three processes, so a
     * busy machine delays it.
     */
    private static final int STILL = 5;

    private final Path directory;
    private final Process process;

    private ExecProcess(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
    }

    /** Starts it on a store. The command's working directory is that of this process' files. */
    static ExecProcess start(Path parent, String uri, Map<String, String> environment, String... args) {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                BoltworkCommand.class.getName(),
                "exec");
        return start(java, parent, uri, environment, args);
    }

    /** Starts it with a command before its own arguments. */
    static ExecProcess start(
            List<String> boltwork, Path parent, String uri, Map<String, String> environment, String... args) {
        try {
            Path directory = Files.createTempDirectory(parent, "exec");
            // a group of its own, as a shell gives it, and no signal that tmux or nohup ignores
            List<String> command = new ArrayList<>(List.of("env", "--default-signal", "setsid"));
            command.addAll(boltwork);
            command.addAll(List.of(args));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(Files.createFile(directory.resolve("stdin")).toFile())
                    .redirectOutput(directory.resolve("stdout").toFile())
                    .redirectError(directory.resolve("stderr").toFile());
            builder.environment().put("BOLTWORK_URI", uri);
            builder.environment().putAll(environment);
            return new ExecProcess(directory, builder.start());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String out() {
        return read("stdout");
    }

    byte[] outBytes() {
        try {
            return Files.readAllBytes(directory.resolve("stdout"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String err() {
        return read("stderr");
    }

    private String read(String file) {
        try {
            return Files.readString(directory.resolve(file), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Waits until the command has printed a text. */
    void awaitOut(String text) {
        SlowAwait.until("'" + text + "' of the command", () -> {
            if (!process.isAlive() && !out().contains(text)) {
                throw new AssertionError("ended with " + process.exitValue() + ": " + out() + err());
            }
            return out().contains(text);
        });
    }

    /** Sends a signal to boltwork. */
    void signal(String name) {
        run("kill", "-s", name, Long.toString(process.pid()));
    }

    private static void run(String... command) {
        try {
            new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills boltwork and all processes of its group, as {@code timeout -s KILL} does. */
    void killGroup() {
        run("kill", "-s", "KILL", "--", "-" + process.pid());
    }

    /** Returns the process of the supervisor. */
    ProcessHandle supervisor() {
        return process.children().findFirst().orElseThrow();
    }

    int exitCode() {
        try {
            if (!process.waitFor(Slack.seconds(60).toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("still running: " + out() + err());
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
        return process.exitValue();
    }

    /**
     * Returns the command of a heart, which ignores TERM, answers INT by a line, and writes the time into a file until
     * it is killed.
     */
    static String[] heart() {
        return new String[] {
            "sh",
            "-c",
            "trap '' TERM; trap 'echo interrupted' INT; echo beating;"
                    + " while :; do date +%s%N > beat.new; mv beat.new beat; sleep 0.05; done"
        };
    }

    /**
     * Waits until the heart has been still for so long that it was not only slow, and returns the time of its last beat
     * in milliseconds since the epoch.
     */
    long awaitLastBeat() {
        String[] last = {""};
        int[] looks = {0};
        SlowAwait.until("the end of the command", () -> {
            try {
                TimeUnit.MILLISECONDS.sleep(300);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
            String beat = Files.exists(directory.resolve("beat")) ? read("beat") : "";
            looks[0] = !beat.isBlank() && beat.equals(last[0]) ? looks[0] + 1 : 0;
            last[0] = beat;
            return looks[0] == STILL;
        });
        return Long.parseLong(last[0].strip()) / 1_000_000;
    }

    @Override
    public void close() {
        List<ProcessHandle> left = process.descendants().toList();
        process.destroyForcibly();
        left.forEach(ProcessHandle::destroyForcibly);
    }
}
