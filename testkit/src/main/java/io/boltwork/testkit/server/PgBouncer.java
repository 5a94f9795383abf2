// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real PgBouncer in front of a {@link PostgresServer}, on a free port of 127.0.0.1. It ends with {@link #close()},
 * and in any case with this JVM. If the JVM belongs to root, it runs as the same user as the server. Not thread-safe,
 * except for {@link #uri()}.
 *
 * @since 0.1.0
 */
public final class PgBouncer implements AutoCloseable {
    private final DatabaseServer process;

    private PgBouncer(PostgresServer server, String mode) {
        process = new DatabaseServer("pgbouncer", "process up", false, new DatabaseServer.Commands() {
            @Override
            public List<String> initialize(Path directory) throws IOException {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
                return List.of("true");
            }

            @Override
            public List<String> run(Path directory, int port) {
                List<String> command = new ArrayList<>(server.asItsUser());
                command.add(find().orElseThrow().toString());
                command.add(configuration(directory, server, port, mode).toString());
                return command;
            }
        });
    }

    private static Path configuration(Path directory, PostgresServer server, int port, String mode) {
        List<String> lines = List.of(
                "[databases]",
                "postgres = host=127.0.0.1 port=" + server.port() + " user=boltwork",
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = any",
                "pool_mode = " + mode,
                "ignore_startup_parameters = extra_float_digits",
                "default_pool_size = 20");
        try {
            return Files.write(directory.resolve("pgbouncer.ini"), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns whether there is a PgBouncer to start.
     *
     * @return {@code false} if not; tests that need it must be skipped then
     */
    public static boolean isInstalled() {
        return find().isPresent();
    }

    /**
     * Starts a PgBouncer.
     *
     * @param server the database
     * @param mode {@code session}, {@code transaction} or {@code statement}
     * @return the pooler, answering
     * @throws UncheckedIOException if it does not start
     */
    public static PgBouncer start(PostgresServer server, String mode) {
        return new PgBouncer(server, mode);
    }

    /**
     * Returns the address for JDBC, with a user that needs no password.
     *
     * @return {@code jdbc:postgresql://127.0.0.1:<port>/postgres?user=boltwork}
     */
    public String uri() {
        return "jdbc:postgresql://127.0.0.1:" + process.port() + "/postgres?user=boltwork";
    }

    /** Ends the process and deletes its directory. Idempotent. */
    @Override
    public void close() {
        process.close();
    }

    @Override
    public String toString() {
        return process.toString();
    }

    private static Optional<Path> find() {
        return DatabaseServer.find("pgbouncer", "/usr/sbin", "/usr/bin", "/usr/local/bin");
    }
}
