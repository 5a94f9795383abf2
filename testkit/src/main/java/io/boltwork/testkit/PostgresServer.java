package io.boltwork.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real PostgreSQL on a free port of 127.0.0.1, for one test or many. Its data do not survive a crash of the machine. It
 * ends with {@link #close()}, and in any case with this JVM. Its directory is deleted then.
 *
 * <p>The programs {@code initdb} and {@code postgres} are those on the PATH, or of the largest version in
 * {@code /usr/lib/postgresql}. PostgreSQL refuses to run as root. If the JVM belongs to root, it runs as the user
 * {@code postgres}, or else as {@code nobody}.
 *
 * <p>Methods block until their effect is complete. Not thread-safe, except for {@link #uri()}.
 */
public final class PostgresServer implements AutoCloseable {
    private static final String[] PLACES = {"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin"};

    private final DatabaseServer server;

    private PostgresServer(List<String> options) {
        List<String> user =
                DatabaseServer.isRoot() ? List.of("setpriv", "--reuid=" + user(), "--clear-groups") : List.of();
        server = new DatabaseServer("postgres", "ready to accept connections", true, new DatabaseServer.Commands() {
            @Override
            public List<String> initialize(Path directory) throws IOException {
                if (!user.isEmpty()) {
                    Files.setOwner(directory, principal(user()));
                }
                return command(
                        user,
                        "initdb",
                        "-D",
                        data(directory),
                        "-U",
                        "boltwork",
                        "-A",
                        "trust",
                        "-E",
                        "UTF8",
                        "--no-sync");
            }

            @Override
            public List<String> run(Path directory, int port) {
                List<String> command = command(user, "postgres", "-D", data(directory), "-p", Integer.toString(port));
                List.of(
                                "listen_addresses=127.0.0.1",
                                "unix_socket_directories=",
                                "fsync=off",
                                "synchronous_commit=off",
                                "full_page_writes=off",
                                "dynamic_shared_memory_type=mmap",
                                "max_connections=50")
                        .forEach(option -> command.addAll(List.of("-c", option)));
                options.forEach(option -> command.addAll(List.of("-c", option)));
                return command;
            }
        });
    }

    /**
     * Returns whether there is a PostgreSQL to start.
     *
     * @return {@code false} if not; tests that need it must be skipped then
     */
    public static boolean isInstalled() {
        return find("postgres").isPresent() && find("initdb").isPresent();
    }

    /**
     * Starts a server.
     *
     * @param options settings as in postgresql.conf, such as {@code "deadlock_timeout=100ms"}
     * @return the server, answering
     * @throws UncheckedIOException if there is none, or if it does not start
     */
    public static PostgresServer start(String... options) {
        return new PostgresServer(List.of(options));
    }

    /**
     * Returns the address for JDBC, with a user that needs no password.
     *
     * @return {@code jdbc:postgresql://127.0.0.1:<port>/postgres?user=boltwork}
     */
    public String uri() {
        return "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=boltwork";
    }

    /** Returns the directory of the data and of the log. */
    Path directory() {
        return server.directory();
    }

    /** Suspends the server: nothing is answered until {@link #thaw}. */
    public void freeze() {
        server.freeze();
    }

    /** Resumes a frozen server. */
    public void thaw() {
        server.thaw();
    }

    /** Kills the server (SIGKILL). */
    public void kill() {
        server.kill();
    }

    /** Starts a killed server again, on the same port and with its data. */
    public void restart() {
        server.start();
    }

    /** Kills the server and starts another one without data, on the same port. */
    public void restartEmpty() {
        server.restartEmpty();
    }

    /** Ends the process and deletes its directory. Idempotent. */
    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return server.toString();
    }

    private static Optional<Path> find(String program) {
        return DatabaseServer.find(program, PLACES);
    }

    private static List<String> command(List<String> user, String program, String... args) {
        List<String> command = new ArrayList<>(user);
        command.add(find(program)
                .orElseThrow(() -> new UncheckedIOException(new IOException(
                        "There is no " + program + " on the PATH or in /usr/lib/postgresql. Install PostgreSQL")))
                .toString());
        command.addAll(List.of(args));
        return command;
    }

    private static String data(Path directory) {
        return directory.resolve("data").toString();
    }

    private static String user() {
        try {
            principal("postgres");
            return "postgres";
        } catch (UserPrincipalNotFoundException e) {
            return "nobody";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static UserPrincipal principal(String name) throws IOException {
        return Path.of("/").getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
    }
}
