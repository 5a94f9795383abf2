package io.boltwork.testkit;

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

/** The process of a database in a directory of its own, and its files. The parts that databases differ in are arguments. */
final class DatabaseServer implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(10);
    private static final int ATTEMPTS = 5;
    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

    private final String name;
    private final boolean interruptible;
    private final Path directory;
    private int port;
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
        try {
            directory = Files.createTempDirectory("boltwork-" + name);
            try {
                execute(builder(commands.initialize(directory)));
                server = launchOnFreePort(ready, commands);
            } catch (IOException | RuntimeException e) {
                FileTree.delete(directory);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + name, e);
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

    private ChildProcess launchOnFreePort(String ready, Commands commands) throws IOException {
        IOException last = new IOException("No free port");
        for (int i = 0; i < ATTEMPTS; i++) {
            port = RedisServer.freePort();
            File log = directory.resolve("log").toFile();
            ChildProcess launched =
                    new ChildProcess(builder(commands.run(directory, port)).redirectOutput(log), directory);
            try {
                awaitReady(launched, ready, log.toPath());
                return launched;
            } catch (IOException e) { // another process was faster
                launched.kill();
                last = e;
            } catch (RuntimeException e) {
                launched.kill();
                throw e;
            }
        }
        throw last;
    }

    private void awaitReady(ChildProcess launched, String ready, Path log) throws IOException {
        long end = System.nanoTime() + Slack.of(START).toNanos();
        while (!Files.readString(log, StandardCharsets.ISO_8859_1).contains(ready)) {
            if (!launched.isAlive() || System.nanoTime() - end > 0) {
                throw new IOException(name + " on port " + port + " is not ready; its log: "
                        + Files.readString(log, StandardCharsets.ISO_8859_1));
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

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        return builder;
    }
}
