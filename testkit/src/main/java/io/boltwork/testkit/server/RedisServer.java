// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Slack;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real redis-server process on a free port of 127.0.0.1, without persistence, for one test or many. It ends with
 * {@link #close()}, and in any case with this JVM. Its directory is deleted then.
 *
 * <p>Methods block until their effect is complete. Not thread-safe, except that {@link #command}, {@link #port()},
 * {@link #uri()} and {@link #version()} may be called from any thread.
 *
 * @since 0.1.0
 */
public final class RedisServer implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(10);
    private static final Duration REPLY = Duration.ofSeconds(5);
    private static final int ATTEMPTS = 20;

    /** The read-only commands that tests send. */
    private static final Set<String> READS =
            Set.of("DBSIZE", "EXISTS", "GET", "HGET", "HGETALL", "HKEYS", "HLEN", "INFO", "KEYS", "PTTL", "PUBSUB");

    /*
     * These ports, and those of the cluster bus 10,000 above them, are below the ports that the kernel assigns to
     * outgoing connections.
     */
    private static final int FIRST_PORT = 10_000;
    private static final int LAST_PORT = 21_999;

    private final Path directory;
    private final String binary;
    private final String version;
    private final List<String> extraArgs;

    /** The lines of a sentinel's configuration; {@code null} for a server. */
    private final @Nullable List<String> watching;

    private int port;
    private ChildProcess server;

    private RedisServer(boolean embedded, @Nullable List<String> watching, String... extraArgs) {
        this.watching = watching;
        this.extraArgs = List.of(extraArgs);
        try {
            directory = Files.createTempDirectory("boltwork-redis");
            try {
                String found = embedded ? null : RedisBinary.installed();
                binary = found != null ? found : RedisBinary.unpack(directory);
                version = RedisBinary.version(binary);
                server = launchOnFreePort();
            } catch (IOException | RuntimeException e) {
                deleteDirectory();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start a redis-server", e);
        }
    }

    /**
     * Starts the redis-server that the system property {@code boltwork.redis} names, by default the one on the PATH, if
     * its version is 6.2 or later; otherwise the embedded one.
     *
     * @param extraArgs further command-line arguments, such as {@code "--maxmemory", "10mb"}
     * @return the server, answering
     * @throws UncheckedIOException if there is no redis-server, or if it does not start
     */
    public static RedisServer start(String... extraArgs) {
        return new RedisServer(false, null, extraArgs);
    }

    /**
     * Starts the redis-server 6.2 from the embedded-redis jar.
     *
     * @param extraArgs further command-line arguments
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startEmbedded(String... extraArgs) {
        return new RedisServer(true, null, extraArgs);
    }

    /**
     * Starts a sentinel with a given configuration, from the same binary as {@link #start} or {@link #startEmbedded}.
     * The sentinel keeps its configuration when it is restarted.
     */
    static RedisServer startSentinel(boolean embedded, List<String> watching) {
        return new RedisServer(embedded, watching);
    }

    /**
     * Starts a sentinel like {@link #startSentinel} that also accepts TLS, with the certificate of {@link #startNamed}.
     */
    static RedisServer startNamedSentinel(Certificates certificates, List<String> watching) {
        List<String> args = certificates.namedArguments(freePort());
        List<String> lines = new ArrayList<>(watching);
        for (int i = 0; i < args.size(); i += 2) {
            lines.add(args.get(i).substring(2) + " " + args.get(i + 1));
        }
        return new RedisServer(false, lines, args.toArray(String[]::new));
    }

    /**
     * Starts a server like {@link #start} that also accepts TLS, on another port; {@link #uri()} is the address without
     * TLS.
     *
     * @param certificates the certificate of the server, and the authority of its clients
     * @param clients whether clients must have a certificate
     * @param extraArgs further command-line arguments
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startTls(Certificates certificates, boolean clients, String... extraArgs) {
        List<String> args = new ArrayList<>(certificates.serverArguments(freePort(), clients));
        args.addAll(List.of(extraArgs));
        return start(args.toArray(String[]::new));
    }

    /**
     * Starts a server like {@link #startTls} whose certificate is for the name {@code localhost}, not for 127.0.0.1.
     *
     * @param certificates the certificate of the server, and the authority of its clients
     * @param extraArgs further command-line arguments
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startNamed(Certificates certificates, String... extraArgs) {
        List<String> args = new ArrayList<>(certificates.namedArguments(freePort()));
        args.addAll(List.of(extraArgs));
        return start(args.toArray(String[]::new));
    }

    /**
     * Returns the TLS address of a server that was started by {@link #startTls}.
     *
     * @return {@code rediss://127.0.0.1:<port>}
     */
    public String tlsUri() {
        return "rediss://" + host() + ":" + tlsPort();
    }

    /**
     * Returns the TLS port of a server that was started by {@link #startTls} or {@link #startNamed}.
     *
     * @return the port
     */
    public int tlsPort() {
        return Integer.parseInt(extraArgs.get(extraArgs.indexOf("--tls-port") + 1));
    }

    /**
     * Returns whether the redis-server that {@link #start} finds supports TLS.
     *
     * @return {@code false} if not; tests that need TLS must be skipped then
     */
    public static boolean knowsTls() {
        try {
            start("--tls-port", "0").close();
            return true;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /**
     * Returns the host for other servers and sentinels: a name if the server uses TLS between servers, an address
     * otherwise.
     */
    String meetingHost() {
        return meetsByTls() ? "localhost" : host();
    }

    /** Returns the port that belongs to {@link #meetingHost()}. */
    int meetingPort() {
        return meetsByTls() ? tlsPort() : port;
    }

    private boolean meetsByTls() {
        return extraArgs.contains("--tls-replication");
    }

    /**
     * Returns the host on which the server listens.
     *
     * @return {@code 127.0.0.1}
     */
    public String host() {
        return "127.0.0.1";
    }

    /**
     * Returns the port on which the server listens. Stays the same when the server is restarted.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Returns the address for clients, without a password.
     *
     * @return {@code redis://127.0.0.1:<port>}
     */
    public String uri() {
        return "redis://" + host() + ":" + port;
    }

    /**
     * Returns the version that the server reports.
     *
     * @return the version, such as {@code 7.0.15}
     */
    public String version() {
        return version;
    }

    /**
     * Sends one command on a new connection and waits for the reply. Authenticates first if the server was started with
     * {@code --requirepass}.
     *
     * <p>A sentinel ends all connections of a server that it reconfigures ({@code CLIENT KILL}). In that case, a
     * read-only command is sent again.
     *
     * @param args the command and its arguments
     * @return a string, a {@link Long}, a list of these, or {@code null}
     * @throws RedisErrorException if the reply is an error
     * @throws UncheckedIOException if there is no reply within 5 s
     */
    public @Nullable Object command(String... args) {
        long since = System.nanoTime();
        while (true) {
            try {
                return commandOnce(args);
            } catch (IOException e) {
                boolean ended =
                        e instanceof EOFException || e instanceof SocketException && !(e instanceof ConnectException);
                boolean inTime = System.nanoTime() - since < Slack.of(REPLY).toNanos();
                if (!ended || !inTime || !READS.contains(args[0])) {
                    throw new UncheckedIOException("No reply from " + uri() + " to " + args[0], e);
                }
            }
        }
    }

    private @Nullable Object commandOnce(String... args) throws IOException {
        try (RespConnection resp = new RespConnection(host(), port, Slack.of(REPLY))) {
            String password = password();
            if (password != null) {
                resp.call("AUTH", password);
            }
            return resp.call(args);
        }
    }

    private @Nullable String password() {
        if (watching != null) {
            return watching.stream()
                    .filter(line -> line.startsWith("requirepass "))
                    .map(line -> line.substring("requirepass ".length()))
                    .findFirst()
                    .orElse(null);
        }
        int password = extraArgs.indexOf("--requirepass") + 1;
        return password > 0 ? extraArgs.get(password) : null;
    }

    /** Kills the process (SIGKILL). Its connections break. {@link #restart()} starts it again. */
    public void kill() {
        server.kill();
    }

    /** Suspends the process (SIGSTOP). Its connections stay open, but nothing is answered until {@link #thaw()}. */
    public void freeze() {
        server.freeze();
    }

    /** Resumes a frozen process (SIGCONT). */
    public void thaw() {
        server.thaw();
    }

    /** Kills the process if it is alive and restarts it on the same port, without data. */
    public void restart() {
        server.kill();
        try {
            deleteData();
            server = launchOnSamePort();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not restart the redis-server on port " + port, e);
        }
    }

    /**
     * Saves the data, kills the process and restarts it on the same port with the data. The server may still be loading
     * when this method returns.
     *
     * @param moreArgs further command-line arguments for this run
     */
    public void restartWithData(String... moreArgs) {
        command("SAVE");
        server.kill();
        try {
            server = launchOnSamePort(moreArgs);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not restart the redis-server on port " + port, e);
        }
    }

    /**
     * Returns the processes that belong to this server.
     *
     * @return their process ids
     */
    public Set<Long> processes() {
        return server.processes();
    }

    /** Ends the process gracefully (SIGTERM). {@link #restart()} starts it again. */
    public void stop() {
        server.terminate(Slack.of(REPLY));
    }

    /** Kills the process and deletes its directory. Idempotent. */
    @Override
    public void close() {
        server.kill();
        deleteDirectory();
    }

    @Override
    public String toString() {
        return "RedisServer " + version + " on port " + port + (server.isAlive() ? "" : " (not running)");
    }

    private ChildProcess launchOnFreePort() throws IOException {
        IOException last = new IOException("No free port");
        for (int i = 0; i < ATTEMPTS; i++) {
            port = freePort();
            try {
                return launch();
            } catch (IOException e) { // another process was faster, or the fresh binary is still open in a forked child
                last = e;
            }
        }
        throw last;
    }

    private ChildProcess launchOnSamePort(String... moreArgs) throws IOException {
        IOException last = new IOException("Not attempted");
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return launch(moreArgs);
            } catch (IOException e) {
                last = e;
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
        throw last;
    }

    private ChildProcess launch(String... moreArgs) throws IOException {
        List<String> command = new ArrayList<>(List.of(binary));
        if (watching == null) {
            command.addAll(List.of("--port", Integer.toString(port), "--bind", host()));
            command.addAll(List.of("--dir", directory.toString(), "--save", "", "--appendonly", "no"));
            command.addAll(extraArgs);
            command.addAll(List.of(moreArgs));
        } else {
            command.addAll(List.of(sentinelConfiguration(watching).toString(), "--sentinel"));
        }
        File log = directory.resolve("log").toFile();
        ChildProcess launched = new ChildProcess(
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log), directory);
        try {
            awaitReady(launched);
            return launched;
        } catch (IOException | RuntimeException e) {
            launched.kill();
            throw e;
        }
    }

    /** Writes the configuration once for each port; the sentinel keeps it up to date. */
    private Path sentinelConfiguration(List<String> lines) throws IOException {
        Path file = directory.resolve("sentinel-" + port + ".conf");
        if (!Files.exists(file)) {
            List<String> all = new ArrayList<>(List.of("port " + port, "bind " + host(), "dir " + directory));
            all.addAll(lines);
            Files.write(file, all);
        }
        return file;
    }

    private void awaitReady(ChildProcess launched) throws IOException {
        long end = System.nanoTime() + Slack.of(START).toNanos();
        while (true) {
            try {
                Object info = command("INFO", "server");
                if (info != null && info.toString().contains("process_id:" + launched.pid() + "\r")) {
                    return;
                }
                throw new IOException("Another server is listening on port " + port);
            } catch (UncheckedIOException | RedisErrorException e) { // not listening yet, or LOADING
                if (!launched.isAlive() || System.nanoTime() - end > 0) {
                    throw new IOException(
                            "The redis-server on port " + port + " does not answer; its log: " + log(), e);
                }
                LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
            }
        }
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    /** Returns a free port, also for servers of other kinds. */
    static int freePort() {
        for (int i = 0; i < 1_000; i++) {
            int candidate = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT + 1);
            if (isFree(candidate) && isFree(candidate + 10_000)) {
                return candidate;
            }
        }
        throw new IllegalStateException("No free port between " + FIRST_PORT + " and " + LAST_PORT);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // lingering connections of an earlier server do not matter
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Deletes the data that a restart would load. A cluster's node keeps its identity. */
    private void deleteData() throws IOException {
        Files.deleteIfExists(directory.resolve("dump.rdb"));
        FileTree.delete(directory.resolve("appendonlydir"));
        Files.deleteIfExists(directory.resolve("appendonly.aof"));
    }

    private void deleteDirectory() {
        try {
            FileTree.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
