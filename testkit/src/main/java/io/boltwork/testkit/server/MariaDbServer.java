// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real MariaDB on a free port of 127.0.0.1, for one test or many. Its data do not survive a crash of the machine. It
 * ends with {@link #close()}, and in any case with this JVM. Its directory is deleted then.
 *
 * <p>The programs {@code mariadb-install-db} and {@code mariadbd} are those on the PATH, or in {@code /usr/bin} and
 * {@code /usr/sbin}.
 *
 * <p>Methods block until their effect is complete. Not thread-safe, except for {@link #uri()}.
 *
 * @since 0.1.0
 */
public final class MariaDbServer implements AutoCloseable {
    private final DatabaseServer server;

    private MariaDbServer(List<String> options) {
        List<String> user = DatabaseServer.isRoot() ? List.of("--user=root") : List.of();
        server = new DatabaseServer("mariadb", "ready for connections", false, new DatabaseServer.Commands() {
            @Override
            public List<String> initialize(Path directory) {
                List<String> command = command("mariadb-install-db", data(directory));
                command.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
                command.addAll(user);
                return command;
            }

            @Override
            public List<String> run(Path directory, int port) {
                List<String> command = command("mariadbd", data(directory));
                command.addAll(List.of(
                        "--port=" + port,
                        "--bind-address=127.0.0.1",
                        "--socket=" + directory.resolve("socket"),
                        "--pid-file=" + directory.resolve("pid"),
                        "--tmpdir=" + directory, // a server that starts deletes the tables of others in its own
                        "--character-set-server=utf8mb4",
                        "--innodb-flush-log-at-trx-commit=0",
                        "--innodb-fast-shutdown=2",
                        "--innodb-buffer-pool-dump-at-shutdown=0"));
                command.addAll(user);
                options.forEach(option -> command.add("--" + option));
                return command;
            }
        });
    }

    /**
     * Returns whether there is a MariaDB to start.
     *
     * @return {@code false} if not; tests that need it must be skipped then
     */
    public static boolean isInstalled() {
        return find("mariadbd").isPresent() && find("mariadb-install-db").isPresent();
    }

    /**
     * Returns the version of the installed MariaDB.
     *
     * @return such as {@code 10.11.14}
     * @throws UncheckedIOException if there is none
     */
    public static String version() {
        return DatabaseServer.version(List.of(found("mariadbd").toString(), "--version"));
    }

    /**
     * Starts a server.
     *
     * @param options options of mariadbd, such as {@code "innodb-lock-wait-timeout=5"}
     * @return the server, answering
     * @throws UncheckedIOException if there is none, or if it does not start
     */
    public static MariaDbServer start(String... options) {
        return new MariaDbServer(List.of(options));
    }

    /**
     * Returns the address for JDBC, with a user that needs no password. Its database is made by the first connection.
     *
     * @return such as {@code jdbc:mariadb://127.0.0.1:<port>/boltwork?user=root}, without TLS
     */
    public String uri() {
        return "jdbc:mariadb://127.0.0.1:" + server.port()
                + "/boltwork?user=root&createDatabaseIfNotExist=true&sslMode=disable";
    }

    /**
     * Returns the id of its process.
     *
     * @return the id that the operating system assigned
     */
    public long pid() {
        return server.pid();
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
        return DatabaseServer.find(program, "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin");
    }

    private static Path found(String program) {
        return find(program)
                .orElseThrow(() -> new UncheckedIOException(
                        new IOException("There is no " + program + " on the PATH or in /usr/sbin. Install MariaDB")));
    }

    /** Begins a command that reads no configuration of the machine. */
    private static List<String> command(String program, String data) {
        List<String> command = new ArrayList<>();
        command.add(found(program).toString());
        command.add("--no-defaults");
        command.add("--datadir=" + data);
        return command;
    }

    private static String data(Path directory) {
        return directory.resolve("data").toString();
    }
}
