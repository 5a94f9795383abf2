// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Slack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with the class path of this one, which tests can kill and freeze. It ends with {@link #close()}, and in
 * any case with this JVM. Its standard error is that of this JVM. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ChildJvm implements AutoCloseable {
    private final ChildProcess child;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Writer stdin;
    private final Path directory;

    private ChildJvm(Class<?> main, Map<String, String> environment, List<String> jvmArgs, List<String> args)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("-Dboltwork.slack=" + Slack.factor());
        command.addAll(jvmArgs);
        command.add(main.getName());
        command.addAll(args);
        directory = Files.createTempDirectory("boltwork-jvm");
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectError(Redirect.INHERIT);
        builder.environment().putAll(environment);
        child = new ChildProcess(builder, directory);
        stdin = child.process().outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::readLines, "child-jvm-" + child.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a JVM.
     *
     * @param main a class on this JVM's class path with a main method
     * @param args the arguments of that method
     * @return the JVM, started; its main method may not have begun yet
     * @throws UncheckedIOException if it cannot be started
     */
    public static ChildJvm start(Class<?> main, String... args) {
        return start(main, List.of(), List.of(args));
    }

    /**
     * Starts a JVM with additional JVM arguments.
     *
     * @param main a class on this JVM's class path with a main method
     * @param jvmArgs arguments of the JVM, such as {@code -Xmx64m}
     * @param args the arguments of the main method
     * @return the JVM, started; its main method may not have begun yet
     * @throws UncheckedIOException if it cannot be started
     */
    public static ChildJvm start(Class<?> main, List<String> jvmArgs, List<String> args) {
        return start(main, Map.of(), jvmArgs, args);
    }

    /**
     * Starts a JVM with additional JVM arguments and environment variables.
     *
     * @param main a class on this JVM's class path with a main method
     * @param environment variables that are added to those of this JVM, or replace them
     * @param jvmArgs arguments of the JVM, such as {@code -Xmx64m}
     * @param args the arguments of the main method
     * @return the JVM, started; its main method may not have begun yet
     * @throws UncheckedIOException if it cannot be started
     */
    public static ChildJvm start(
            Class<?> main, Map<String, String> environment, List<String> jvmArgs, List<String> args) {
        try {
            return new ChildJvm(main, environment, jvmArgs, args);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start a JVM for " + main.getName(), e);
        }
    }

    /**
     * Returns the process id.
     *
     * @return the id that the operating system assigned
     */
    public long pid() {
        return child.pid();
    }

    /**
     * Returns whether the process is alive, even if it is frozen.
     *
     * @return {@code false} once it has ended
     */
    public boolean isAlive() {
        return child.isAlive();
    }

    /**
     * Returns the lines that the JVM has printed to standard output and that have not been taken yet.
     *
     * @return a live queue
     */
    public BlockingQueue<String> lines() {
        return lines;
    }

    /**
     * Takes the next line of standard output; blocks until there is one.
     *
     * @param patience the maximum time to wait, to be multiplied by {@link Slack#factor()}
     * @return the line, or {@code null} if none arrived in time
     * @throws InterruptedException if interrupted while waiting
     */
    public @Nullable String nextLine(Duration patience) throws InterruptedException {
        return lines.poll(Slack.of(patience).toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Writes a line to the JVM's standard input.
     *
     * @param line the line to write
     * @throws UncheckedIOException if the JVM has ended
     */
    public void send(String line) {
        try {
            stdin.write(line + "\n");
            stdin.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process (SIGKILL) and returns when it is gone. Idempotent. */
    public void kill() {
        child.kill();
    }

    /** Suspends the process (SIGSTOP). Its connections stay open, but it does nothing until {@link #thaw()}. */
    public void freeze() {
        child.freeze();
    }

    /** Resumes a frozen process (SIGCONT). */
    public void thaw() {
        child.thaw();
    }

    /**
     * Waits for the JVM to end by itself.
     *
     * @param patience the maximum time to wait, to be multiplied by {@link Slack#factor()}
     * @return its exit code
     * @throws IllegalStateException if it has not ended in time
     */
    public int awaitExit(Duration patience) {
        if (!child.await(Slack.of(patience))) {
            throw new IllegalStateException("JVM " + pid() + " has not ended within " + Slack.of(patience));
        }
        return child.process().exitValue();
    }

    /** Kills the JVM and deletes its directory. Idempotent. */
    @Override
    public void close() {
        child.kill();
        try {
            FileTree.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readLines() {
        try (BufferedReader out = child.process().inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("(standard output is broken: " + e.getMessage() + ")");
        }
    }
}
