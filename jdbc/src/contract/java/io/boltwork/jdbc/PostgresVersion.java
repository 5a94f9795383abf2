// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The oldest and the newest PostgreSQL that is tried, from archives that the build has fetched. */
enum PostgresVersion {
    OLDEST,
    NEWEST;

    private PostgresSite started;

    /** Returns the server of this JVM; skips the test if it cannot be started. */
    PostgresSite site() {
        Path jar = Path.of("target", "postgresql", name().toLowerCase(Locale.ROOT) + ".jar");
        assumeTrue(Files.exists(jar), jar + " is missing; -Pproof fetches it");
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "the archive is for Linux on amd64");
        if (started == null) {
            started = new PostgresSite(PostgresServer.startFrom(unpacked(jar).resolve("bin"), "max_connections=300"));
        }
        return started;
    }

    /** Unpacks the archive to a directory that every user can read, since the server does not run as root. */
    private static Path unpacked(Path jar) {
        try (JarFile archives = new JarFile(jar.toFile())) {
            Path directory = Files.createTempDirectory("boltwork-postgresql");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path archive = directory.resolve("all.txz");
            try (InputStream in = archives.getInputStream(archives.stream()
                    .filter(entry -> entry.getName().endsWith(".txz"))
                    .findFirst()
                    .orElseThrow())) {
                Files.copy(in, archive);
            }
            Process tar = new ProcessBuilder(
                            List.of("tar", "-xJf", archive.toString(), "-C", directory.toString(), "--no-same-owner"))
                    .inheritIO()
                    .start();
            if (tar.waitFor() != 0) {
                throw new IllegalStateException("tar cannot unpack " + archive + "; does it find xz?");
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
