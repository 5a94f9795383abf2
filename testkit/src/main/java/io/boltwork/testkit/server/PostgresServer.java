// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A real PostgreSQL on a free port of 127.0.0.1, for one test or many. Its data do not survive a crash of the machine.
 * It ends with {@link #close()}, and in any case with this JVM. Its directory is deleted then.
 *
 * <p>The programs {@code initdb} and {@code postgres} are those on the PATH, or of the largest version in
 * {@code /usr/lib/postgresql}. PostgreSQL refuses to run as root. If the JVM belongs to root, it runs as the user
 * {@code postgres}, or else as {@code nobody}.
 *
 * <p>Methods block until their effect is complete. Not thread-safe, except for {@link #uri()}.
 *
 * @since 0.1.0
 */
public final class PostgresServer implements AutoCloseable {
    private static final String[] PLACES = {"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin"};

    private final Programs programs;
    private final DatabaseServer server;

    private PostgresServer(Programs programs, List<String> options) {
        this.programs = programs;
        server = new DatabaseServer(
                "postgres", "ready to accept connections", true, commands(options, this::initializing));
    }

    /** Makes a replica. */
    private PostgresServer(PostgresServer primary, List<String> options) {
        programs = primary.programs;
        server = new DatabaseServer(
                "postgres",
                "ready to accept read", // "read only" or "read-only", by version
                true,
                commands(options, data -> copying(data, primary.server.port())));
    }

    /** The directory of the programs, and the user that they run as. */
    private record Programs(Optional<Path> directory, List<String> user) {
        static Programs of(Optional<Path> directory) {
            return new Programs(
                    directory,
                    DatabaseServer.isRoot()
                            ? List.of("setpriv", "--reuid=" + PostgresServer.user(), "--clear-groups")
                            : List.of());
        }

        List<String> command(String program, String... args) {
            Path found = directory
                    .map(bin -> bin.resolve(program))
                    .or(() -> find(program))
                    .orElseThrow(() -> new UncheckedIOException(new IOException(
                            "There is no " + program + " on the PATH or in /usr/lib/postgresql. Install PostgreSQL")));
            List<String> command = new ArrayList<>(user);
            command.add(found.toString());
            command.addAll(List.of(args));
            return command;
        }
    }

    private List<String> initializing(String data) {
        return programs.command("initdb", "-D", data, "-U", "boltwork", "-A", "trust", "-E", "UTF8", "--no-sync");
    }

    /** Returns the command that copies a running primary, and configures the copy as its replica. */
    private List<String> copying(String data, int port) {
        return programs.command(
                "pg_basebackup",
                "-D",
                data,
                "-d",
                "host=127.0.0.1 port=" + port + " user=boltwork",
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync");
    }

    private DatabaseServer.Commands commands(List<String> options, Function<String, List<String>> initializing) {
        return new DatabaseServer.Commands() {
            @Override
            public List<String> initialize(Path directory) throws IOException {
                if (!programs.user().isEmpty()) {
                    Files.setOwner(directory, principal(user()));
                }
                return initializing.apply(data(directory));
            }

            @Override
            public List<String> run(Path directory, int port) {
                List<String> command =
                        programs.command("postgres", "-D", data(directory), "-p", Integer.toString(port));
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
        };
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
     * Returns the version of the installed PostgreSQL.
     *
     * @return such as {@code 15.14}
     * @throws UncheckedIOException if there is none
     */
    public static String version() {
        return DatabaseServer.version(new Programs(Optional.empty(), List.of()).command("postgres", "--version"));
    }

    /**
     * Starts a server.
     *
     * @param options settings as in postgresql.conf, such as {@code "deadlock_timeout=100ms"}
     * @return the server, answering
     * @throws UncheckedIOException if there is none, or if it does not start
     */
    public static PostgresServer start(String... options) {
        return new PostgresServer(Programs.of(Optional.empty()), List.of(options));
    }

    /**
     * Starts a server of another version.
     *
     * @param programs the directory of {@code initdb} and {@code postgres}; the user that the server runs as can read
     *     it
     * @param options settings as in postgresql.conf
     * @return the server, answering
     * @throws UncheckedIOException if it does not start
     */
    public static PostgresServer startFrom(Path programs, String... options) {
        return new PostgresServer(Programs.of(Optional.of(programs)), List.of(options));
    }

    /**
     * Starts a replica of this server, which has its data and follows it. It answers queries.
     * {@code SELECT pg_promote()} makes it a primary.
     *
     * @param options settings as in postgresql.conf, among them those of this server
     * @return the replica, answering
     * @throws UncheckedIOException if it does not start
     */
    public PostgresServer startReplica(String... options) {
        return new PostgresServer(this, List.of(options));
    }

    /**
     * Returns the address for JDBC, with a user that needs no password.
     *
     * @return {@code jdbc:postgresql://127.0.0.1:<port>/postgres?user=boltwork}
     */
    public String uri() {
        return "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=boltwork";
    }

    /**
     * Returns the id of its process, the parent of those that serve connections.
     *
     * @return the id that the operating system assigned
     */
    public long pid() {
        return server.pid();
    }

    int port() {
        return server.port();
    }

    /** Returns the beginning of a command that runs as the user of the server. */
    List<String> asItsUser() {
        return programs.user();
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
