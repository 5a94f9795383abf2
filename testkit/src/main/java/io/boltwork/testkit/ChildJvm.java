package io.boltwork.testkit;

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
 * Another JVM with this one's class path, to be killed and frozen. It dies with {@link #close()}, and in any case with
 * this JVM. What it prints to standard error appears in this JVM's. Thread-safe.
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
     * Starts a JVM with arguments of its own.
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
     * Starts a JVM with arguments and environment variables of its own.
     *
     * @param main a class on this JVM's class path with a main method
     * @param environment variables that it has beside or instead of this JVM's
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
     * The process's id.
     *
     * @return as the operating system counts
     */
    public long pid() {
        return child.pid();
    }

    /**
     * Tells whether the process lives, be it frozen.
     *
     * @return {@code false} once it has ended
     */
    public boolean isAlive() {
        return child.isAlive();
    }

    /**
     * What the JVM has printed to standard output and nobody has taken yet, line by line.
     *
     * @return a live queue
     */
    public BlockingQueue<String> lines() {
        return lines;
    }

    /**
     * Takes the next line of standard output; waits for it.
     *
     * @param patience how long to wait, to be multiplied by {@link Slack}
     * @return the line, or {@code null} if none came
     * @throws InterruptedException if interrupted while waiting
     */
    public @Nullable String nextLine(Duration patience) throws InterruptedException {
        return lines.poll(Slack.of(patience).toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Writes a line to the JVM's standard input.
     *
     * @param line what to write
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

    /** SIGKILL; returns when the process is gone. Idempotent. */
    public void kill() {
        child.kill();
    }

    /** SIGSTOP: connections stay open, nothing runs until {@link #thaw()}. */
    public void freeze() {
        child.freeze();
    }

    /** SIGCONT. */
    public void thaw() {
        child.thaw();
    }

    /**
     * Waits for the JVM to end by itself.
     *
     * @param patience how long, to be multiplied by {@link Slack}
     * @return its exit code
     * @throws IllegalStateException if it has not ended in time
     */
    public int awaitExit(Duration patience) {
        if (!child.await(Slack.of(patience))) {
            throw new IllegalStateException("JVM " + pid() + " has not ended within " + Slack.of(patience));
        }
        return child.process().exitValue();
    }

    /** Kills the JVM. Idempotent. */
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
            lines.add("(standard output broke: " + e.getMessage() + ")");
        }
    }
}
