// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A command that {@code supervisor.sh} starts, watches and ends, on systems with a POSIX shell. */
final class SupervisedCommand implements RunningCommand {

    /*
     * The states are those of the script: no group yet, a group, nothing left. What may happen to whom:
     *
     * - This JVM dies, at any time: the system closes the pipe. The script's watcher reads its end, whatever it was
     * doing, and
     *   ends the group. If the script has not opened the pipe yet, it opens it without waiting and reads the end at
     *   once.
     * - The script's first process is killed: its exit code says 137, but the file "group" is still there. Then the
     * pipe is
     *   closed here, so that the watcher ends the group, and await() returns when the watcher has removed the file.
     * - The watcher is killed: the command still ends by itself, but no signal reaches it, and nothing ends it if the
     * JVM dies.
     *   It has a session of its own, so a KILL for boltwork's group does not reach it.
     * - The group's number is used again: not while a process of the group is left. The script looks every 50 ms
     * whether one is,
     *   and sends nothing afterwards.
     * - A signal comes before the group exists: the watcher waits for the group.
     *
     * The launcher starts the script itself if the command is to inherit descriptors above 2. The script then waits for
     * a line in the pipe. It is a child of this process, but not of Java's, so a file has the command's exit code.
     */

    private static final long LOOK_MILLIS = 50;

    private static final String PIPE = "pipe";

    /** The property with the directory of the launcher's supervisor. */
    private static final String PREPARED = "boltwork.supervisor";

    private static final int KILLED = 128 + 9;

    private final Duration grace;
    private final Path directory;
    private final RandomAccessFile pipe;
    private final Supervisor supervisor;

    /** The script's first process. */
    @FunctionalInterface
    private interface Supervisor {

        /** Waits for its end and returns its exit code. */
        int waitFor() throws InterruptedException;
    }

    private SupervisedCommand(Duration grace, Path directory, RandomAccessFile pipe, Supervisor supervisor) {
        this.grace = grace;
        this.directory = directory;
        this.pipe = pipe;
        this.supervisor = supervisor;
    }

    /** Starts a command with the standard streams of this JVM. */
    static SupervisedCommand start(List<String> command, Duration grace, Consumer<Map<String, String>> environment) {
        try {
            Path directory = Files.createTempDirectory("boltwork-exec"); // for this user only
            RandomAccessFile pipe = makePipe(directory.resolve(PIPE));
            String script = script();
            List<String> supervised = new ArrayList<>(List.of("sh", "-c", script, "boltwork-supervisor", script));
            supervised.add(directory.toString());
            supervised.add("3"); // Java leaves none but 0 to 2 to the script
            supervised.add(seconds(grace));
            supervised.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(supervised).inheritIO();
            environment.accept(builder.environment());
            return new SupervisedCommand(grace, directory, pipe, builder.start()::waitFor);
        } catch (IOException failed) {
            throw new UncheckedIOException("The command could not be started: " + failed.getMessage(), failed);
        }
    }

    /** Returns whether the launcher has started a supervisor, which has the arguments of this process. */
    static boolean isPrepared() {
        return System.getProperty(PREPARED) != null;
    }

    /** Lets the supervisor that the launcher has started run a command, which is the last ones of its arguments. */
    static SupervisedCommand startPrepared(
            int words, Duration grace, Set<String> removed, Consumer<Map<String, String>> environment) {
        Path directory = Path.of(System.getProperty(PREPARED));
        ProcessHandle supervisor =
                ProcessHandle.of(Long.getLong(PREPARED + ".pid")).orElseThrow();
        Map<String, String> variables = new TreeMap<>();
        environment.accept(variables);
        StringBuilder start =
                new StringBuilder("unset ").append(String.join(" ", removed)).append('\n');
        variables.forEach(
                (name, value) -> start.append("export %s='%s'\n".formatted(name, value.replace("'", "'\\''"))));
        start.append("grace=%s\nshift $(($# - %d))\n".formatted(seconds(grace), words));
        try {
            RandomAccessFile pipe = new RandomAccessFile(directory.resolve(PIPE).toFile(), "rw");
            Files.writeString(directory.resolve("start"), start);
            SupervisedCommand command =
                    new SupervisedCommand(grace, directory, pipe, () -> codeOf(supervisor, directory));
            command.order("START");
            return command;
        } catch (IOException failed) {
            throw new UncheckedIOException("The command could not be started: " + failed.getMessage(), failed);
        }
    }

    private static int codeOf(ProcessHandle supervisor, Path directory) throws InterruptedException {
        try {
            supervisor.onExit().get();
            Path code = directory.resolve("code");
            if (!Files.exists(code)) {
                return KILLED;
            }
            int value = Integer.parseInt(Files.readString(code).strip());
            Files.delete(code);
            Files.deleteIfExists(directory);
            return value;
        } catch (ExecutionException | IOException failed) {
            throw new IllegalStateException("the exit code of the command could not be read", failed);
        }
    }

    /** Makes a named pipe and opens it in both directions, which does not wait for a reader. */
    private static RandomAccessFile makePipe(Path pipe) throws IOException {
        Process mkfifo = new ProcessBuilder("mkfifo", pipe.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            if (mkfifo.waitFor() != 0) {
                throw new IOException("mkfifo failed");
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", end);
        }
        return new RandomAccessFile(pipe.toFile(), "rw");
    }

    private static String script() throws IOException {
        try (InputStream script =
                Objects.requireNonNull(SupervisedCommand.class.getResourceAsStream("supervisor.sh"))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void signal(String name) {
        order(name);
    }

    @Override
    public void end() {
        end(grace);
    }

    @Override
    public void end(Duration untilKill) {
        order("END " + seconds(untilKill));
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).toString();
    }

    private synchronized void order(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException closed) {
            // the command has ended
        }
    }

    @Override
    public int await() throws InterruptedException {
        int code = supervisor.waitFor();
        if (Files.exists(directory.resolve("group"))) { // the supervisor was killed
            closePipe();
            long deadline = System.nanoTime() + grace.plusSeconds(5).toNanos();
            while (Files.exists(directory.resolve("group")) && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
        return code;
    }

    @Override
    public void close() {
        closePipe();
    }

    private void closePipe() {
        order("CLOSE"); // the launcher's pipe stays open in this process
        try {
            pipe.close();
        } catch (IOException closed) {
            // then it is closed
        }
    }
}
