// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Slack;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The process of a database in a directory of its own, and its files. The parts that databases differ in are arguments.
 */
final class DatabaseServer implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(10);
    private static final int ATTEMPTS = 5;
    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

    private final String name;
    private final boolean interruptible;
    private final String ready;
    private final Commands commands;
    private final int port;
    private Path directory;
    private ChildProcess server;

    /** The commands of a database. */
    interface Commands {
        /** Returns the command that makes the files. */
        List<String> initialize(Path directory) throws IOException;

        /** Returns the command of the server, which logs to its standard output. */
        List<String> run(Path directory, int port);
    }

    /**
     * Makes the files and starts the server.
     *
     * @param name the name of the database, for messages
     * @param ready the line that the server logs when it accepts connections
     * @param interruptible whether SIGINT ends it, and not SIGTERM, which may wait for its clients
     */
    DatabaseServer(String name, String ready, boolean interruptible, Commands commands) {
        this.name = name;
        this.interruptible = interruptible;
        this.ready = ready;
        this.commands = commands;
        try {
            directory = initialized();
            Launched first = launchOnFreePort();
            port = first.port;
            server = first.process;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + name, e);
        }
    }

    private record Launched(int port, ChildProcess process) {}

    private Path initialized() throws IOException {
        Path made = Files.createTempDirectory("boltwork-" + name);
        try {
            execute(builder(commands.initialize(made), made));
            return made;
        } catch (IOException | RuntimeException e) {
            FileTree.delete(made);
            throw e;
        }
    }

    int port() {
        return port;
    }

    long pid() {
        return server.pid();
    }

    Path directory() {
        return directory;
    }

    /** Suspends all processes of the server. */
    void freeze() {
        server.freezeAll();
    }

    /** Resumes all processes of the server. */
    void thaw() {
        server.thawAll();
    }

    /** Kills all processes of the server. */
    void kill() {
        server.killAll();
    }

    /** Starts the server again on the same port, with its data, after {@link #kill}. */
    void start() {
        try {
            server = launch(port);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + name, e);
        }
    }

    /** Kills the server and starts another one on the same port, without data. */
    void restartEmpty() {
        try {
            Path before = directory;
            directory = initialized();
            kill();
            FileTree.delete(before);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + name, e);
        }
        start();
    }

    @Override
    public void close() {
        if (interruptible) {
            server.interrupt(Slack.of(END));
        } else {
            server.terminate(Slack.of(END));
        }
        try {
            FileTree.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name + " on port " + port + (server.isAlive() ? "" : " (not running)");
    }

    /**
     * Finds a program on the PATH, or in one of the directories in which packages of Debian and others put it.
     *
     * @param program its name
     * @param places directories; a {@code *} in one stands for a version, of which the largest is taken
     */
    static Optional<Path> find(String program, String... places) {
        List<Path> found = new ArrayList<>();
        for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            found.add(Path.of(place, program));
        }
        for (String place : places) {
            found.addAll(expanded(place).map(each -> each.resolve(program)).toList());
        }
        return found.stream().filter(Files::isExecutable).findFirst();
    }

    private static Stream<Path> expanded(String place) {
        int star = place.indexOf('*');
        if (star < 0) {
            return Stream.of(Path.of(place));
        }
        File[] versions = new File(place.substring(0, star)).listFiles(File::isDirectory);
        return versions == null
                ? Stream.empty()
                : Stream.of(versions)
                        .filter(version -> version.getName().matches("\\d+"))
                        .sorted((a, b) -> Integer.parseInt(b.getName()) - Integer.parseInt(a.getName()))
                        .map(version -> Path.of(version + place.substring(star + 1)));
    }

    /** Returns whether this JVM belongs to root, which some databases refuse. */
    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private Launched launchOnFreePort() throws IOException {
        IOException last = new IOException("No free port");
        try {
            for (int i = 0; i < ATTEMPTS; i++) {
                int free = RedisServer.freePort();
                try {
                    return new Launched(free, launch(free));
                } catch (IOException e) { // another process was faster
                    last = e;
                }
            }
            throw last;
        } catch (IOException | RuntimeException e) {
            FileTree.delete(directory);
            throw e;
        }
    }

    private ChildProcess launch(int free) throws IOException {
        Path log = directory.resolve("log");
        Files.deleteIfExists(log);
        ChildProcess launched = new ChildProcess(
                builder(commands.run(directory, free), directory).redirectOutput(log.toFile()), directory);
        try {
            awaitReady(launched, log);
            return launched;
        } catch (IOException | RuntimeException e) {
            launched.kill();
            throw e;
        }
    }

    private void awaitReady(ChildProcess launched, Path log) throws IOException {
        long end = System.nanoTime() + Slack.of(START).toNanos();
        while (!Files.readString(log, StandardCharsets.ISO_8859_1).contains(ready)) {
            if (!launched.isAlive() || System.nanoTime() - end > 0) {
                throw new IOException(
                        name + " is not ready; its log: " + Files.readString(log, StandardCharsets.ISO_8859_1));
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    /**
     * Returns the version that a program prints.
     *
     * @param command the program with the option that makes it print its version
     */
    static String version(List<String> command) {
        try {
            String text = execute(new ProcessBuilder(command).redirectErrorStream(true));
            Matcher version = VERSION.matcher(text);
            return version.find() ? version.group() : text.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String execute(ProcessBuilder command) throws IOException {
        Process process = command.start();
        String output;
        try (InputStream out = process.getInputStream()) {
            output = new String(out.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        int code = process.onExit().join().exitValue();
        if (code != 0) {
            throw new IOException(String.join(" ", command.command()) + " failed with " + code + ": " + output);
        }
        return output;
    }

    private static ProcessBuilder builder(List<String> command, Path directory) {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        return builder;
    }
}
