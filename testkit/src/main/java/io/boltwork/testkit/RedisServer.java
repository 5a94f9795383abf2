package io.boltwork.testkit;

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
 * {@link #close()}, and in any case with this JVM; its directory goes with it.
 *
 * <p>Methods block until what they say has happened. Not thread-safe, except that {@link #command}, {@link #port()},
 * {@link #uri()} and {@link #version()} may be called from anywhere.
 */
public final class RedisServer implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(10);
    private static final Duration REPLY = Duration.ofSeconds(5);
    private static final int ATTEMPTS = 20;

    /** Commands that only read, of those that tests send. */
    private static final Set<String> READS =
            Set.of("DBSIZE", "EXISTS", "GET", "HGET", "HGETALL", "HKEYS", "HLEN", "INFO", "KEYS", "PTTL", "PUBSUB");

    /* Below the ports that the kernel gives to outgoing connections, and so is the cluster bus, 10,000 above. */
    private static final int FIRST_PORT = 10_000;
    private static final int LAST_PORT = 21_999;

    private final Path directory;
    private final String binary;
    private final String version;
    private final List<String> extraArgs;

    /** What a sentinel watches, in the words of its configuration; {@code null} for a server. */
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
     * Starts the redis-server that the system property {@code boltwork.redis} names, by default the one on the PATH, if it is 6.2
     * or later; else the embedded one.
     *
     * @param extraArgs further arguments, as on the command line, such as {@code "--maxmemory", "10mb"}
     * @return the server, answering
     * @throws UncheckedIOException if there is none, or if it does not start
     */
    public static RedisServer start(String... extraArgs) {
        return new RedisServer(false, null, extraArgs);
    }

    /**
     * Starts the redis-server 6.2 that is packed into the jar embedded-redis.
     *
     * @param extraArgs further arguments, as on the command line
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startEmbedded(String... extraArgs) {
        return new RedisServer(true, null, extraArgs);
    }

    /**
     * Starts a sentinel: the same binary as {@link #start}, or as {@link #startEmbedded}, with that configuration. It remembers
     * it over restarts.
     */
    static RedisServer startSentinel(boolean embedded, List<String> watching) {
        return new RedisServer(embedded, watching);
    }

    /** Starts a sentinel like {@link #startSentinel} that speaks TLS too, with the certificate of {@link #startNamed}. */
    static RedisServer startNamedSentinel(Certificates certificates, List<String> watching) {
        List<String> args = certificates.namedArguments(freePort());
        List<String> lines = new ArrayList<>(watching);
        for (int i = 0; i < args.size(); i += 2) {
            lines.add(args.get(i).substring(2) + " " + args.get(i + 1));
        }
        return new RedisServer(false, lines, args.toArray(String[]::new));
    }

    /**
     * Starts a server like {@link #start} that speaks TLS too, on another port; {@link #uri()} is the plain one.
     *
     * @param certificates its own, and the authority of its clients
     * @param clients whether clients must have a certificate
     * @param extraArgs further arguments, as on the command line
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startTls(Certificates certificates, boolean clients, String... extraArgs) {
        List<String> args = new ArrayList<>(certificates.serverArguments(freePort(), clients));
        args.addAll(List.of(extraArgs));
        return start(args.toArray(String[]::new));
    }

    /**
     * Starts a server like {@link #startTls} whose certificate is for the name {@code localhost}, and not for 127.0.0.1.
     *
     * @param certificates its own, and the authority of its clients
     * @param extraArgs further arguments, as on the command line
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static RedisServer startNamed(Certificates certificates, String... extraArgs) {
        List<String> args = new ArrayList<>(certificates.namedArguments(freePort()));
        args.addAll(List.of(extraArgs));
        return start(args.toArray(String[]::new));
    }

    /**
     * Where a server of {@link #startTls} speaks TLS.
     *
     * @return {@code rediss://127.0.0.1:<port>}
     */
    public String tlsUri() {
        return "rediss://" + host() + ":" + tlsPort();
    }

    /**
     * Where a server of {@link #startTls} or {@link #startNamed} speaks TLS.
     *
     * @return the port
     */
    public int tlsPort() {
        return Integer.parseInt(extraArgs.get(extraArgs.indexOf("--tls-port") + 1));
    }

    /**
     * Whether the redis-server that {@link #start} finds was built with TLS.
     *
     * @return {@code false} if not: what needs it has to be skipped
     */
    public static boolean knowsTls() {
        try {
            start("--tls-port", "0").close();
            return true;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** Where other servers and clients find it: by name and with TLS if it talks to other servers so. */
    String meetingHost() {
        return meetsByTls() ? "localhost" : host();
    }

    /** The port there. */
    int meetingPort() {
        return meetsByTls() ? tlsPort() : port;
    }

    private boolean meetsByTls() {
        return extraArgs.contains("--tls-replication");
    }

    /**
     * Where the server listens.
     *
     * @return {@code 127.0.0.1}
     */
    public String host() {
        return "127.0.0.1";
    }

    /**
     * Where the server listens; stays the same over restarts.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * The address for clients, without a password.
     *
     * @return {@code redis://127.0.0.1:<port>}
     */
    public String uri() {
        return "redis://" + host() + ":" + port;
    }

    /**
     * What the server calls its version.
     *
     * @return such as {@code 7.0.15}
     */
    public String version() {
        return version;
    }

    /**
     * Sends one command on a connection of its own and waits for the reply. Authenticates first if the server was
     * started with {@code --requirepass}.
     *
     * <p>A sentinel ends all connections of a server that it reconfigures ({@code CLIENT KILL}). A command that only reads is
     * sent again then.
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
                    throw new UncheckedIOException("No reply of " + uri() + " to " + args[0], e);
                }
            }
        }
    }

    private @Nullable Object commandOnce(String... args) throws IOException {
        try (Resp resp = new Resp(host(), port, Slack.of(REPLY))) {
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

    /** Kills the process (SIGKILL). Connections break; {@link #restart()} brings it back. */
    public void kill() {
        server.kill();
    }

    /** Stops the process in its tracks (SIGSTOP): connections stay open, nothing is answered until {@link #thaw()}. */
    public void freeze() {
        server.freeze();
    }

    /** Lets a frozen process go on (SIGCONT). */
    public void thaw() {
        server.thaw();
    }

    /** Kills the process if it lives and starts it again on the same port, empty. */
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
     * Saves the data, kills the process and starts it again on the same port with the data. It may still be loading when this
     * returns.
     *
     * @param moreArgs further arguments for this run
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

    /** The processes that belong to it. */
    Set<Long> processes() {
        return server.processes();
    }

    /** Ends the process in good order (SIGTERM); {@link #restart()} brings it back. */
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
            } catch (IOException e) { // somebody else was faster, or the fresh binary is still open in a forked child
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

    /** Written once for each port; the sentinel keeps it up to date by itself. */
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
                throw new IOException("Another server listens on port " + port);
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

    private static int freePort() {
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
            socket.setReuseAddress(true); // connections of an earlier server that linger are no listener
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What a restart would load; a cluster's node keeps who it is. */
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
