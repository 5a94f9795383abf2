// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The embedded redis-server with a clock that stands still until it is set, to the microsecond. libfaketime reads the
 * time from a file whenever the server reads its clock. Server and scripts are unchanged.
 *
 * <p>The embedded server has a built-in allocator. A server with a separate jemalloc, as Debian's, does not start in
 * this way, because the allocator asks for the time before libfaketime is ready.
 */
final class SteppedRedis implements AutoCloseable {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSS").withZone(ZoneOffset.UTC);
    private static final int HALF =
            500; // ns: libfaketime reads the fraction as a floating point number and truncates it
    private static final Pattern EXECUTABLE = Pattern.compile("executable:(\\S+)");

    /* Ends the server when its input ends, that is with this JVM at the latest. */
    private static final String GUARD = "\"$@\" & trap '' INT TERM HUP; read -r line; kill -9 $!; wait";

    private final RedisServer binary; // its directory contains the executable
    private final Path directory;
    private final int port;
    private final Process process;

    private SteppedRedis(RedisServer binary, Path library) throws IOException, InterruptedException {
        this.binary = binary;
        directory = Files.createTempDirectory("boltwork-stepped");
        set(0);
        port = freePort();
        Matcher executable = EXECUTABLE.matcher(String.valueOf(binary.command("INFO", "server")));
        if (!executable.find()) {
            throw new IOException("The server does not say where it is");
        }
        List<String> server = List.of(executable.group(1), "--port", "" + port, "--bind", "127.0.0.1");
        List<String> quiet = List.of("--save", "", "--appendonly", "no", "--dir", directory.toString());
        List<String> clock = List.of(
                "env",
                "LD_PRELOAD=" + library,
                "TZ=UTC",
                "FAKETIME_TIMESTAMP_FILE=" + clock(),
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
        process = new ProcessBuilder(Stream.of(List.of("sh", "-c", GUARD, "sh"), clock, server, quiet)
                        .flatMap(List::stream)
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(directory.resolve("log").toFile()))
                .start();
        awaitReady();
    }

    /** Starts a server if libfaketime is installed. */
    static Optional<SteppedRedis> start() throws IOException, InterruptedException {
        Optional<Path> library = library();
        return library.isEmpty()
                ? Optional.empty()
                : Optional.of(new SteppedRedis(RedisServer.startEmbedded(), library.get()));
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Sets the clock to microseconds since the epoch. */
    void set(long micros) throws IOException {
        write(TIME.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS).plusNanos(HALF)) + "\n");
    }

    /** Lets the clock run from now on, this many seconds ahead of the true time. */
    void runAhead(long seconds) throws IOException {
        write("+" + seconds + "\n");
    }

    private void write(String text) throws IOException {
        Path next = directory.resolve("next");
        Files.writeString(next, text);
        Files.move(next, clock(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the file that libfaketime reads, which other processes can share. */
    Path clock() {
        return directory.resolve("clock");
    }

    private void awaitReady() throws IOException {
        long end = System.nanoTime() + Slack.seconds(10).toNanos();
        RedisClient client = RedisClient.create(uri());
        try (client) {
            while (true) {
                try {
                    client.connect().close();
                    return;
                } catch (RedisException e) {
                    if (!process.isAlive() || System.nanoTime() - end > 0) {
                        throw new IOException(Files.readString(directory.resolve("log")), e);
                    }
                    LockSupport.parkNanos(2_000_000);
                }
            }
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns the library that fakes the time of a process, if it is installed. */
    static Optional<Path> library() throws IOException {
        try (Stream<Path> roots = Files.list(Path.of("/usr/lib"))) {
            return Stream.concat(Stream.of(Path.of("/usr/lib64")), roots)
                    .map(root -> root.resolve("faketime/libfaketimeMT.so.1"))
                    .filter(Files::exists)
                    .findFirst();
        }
    }

    /** Kills the server and deletes its directory. */
    @Override
    public void close() throws IOException, InterruptedException {
        try (OutputStream input = process.getOutputStream()) {
            input.write('\n');
        }
        process.waitFor();
        for (String file : Objects.requireNonNull(directory.toFile().list())) {
            Files.delete(directory.resolve(file));
        }
        Files.delete(directory);
        binary.close();
    }
}
