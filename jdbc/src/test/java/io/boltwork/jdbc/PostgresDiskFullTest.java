// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL on a disk that is full: what holders and new callers see, and that all goes on when there is room again.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class PostgresDiskFullTest {
    private static final LockOptions LEASE = LockOptions.renewedLease(Slack.of(Duration.ofSeconds(6)));

    @TempDir
    Path directory;

    @BeforeEach
    void check() {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed");
    }

    private SmallDisk disk(int megabytes) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new SmallDisk(directory.resolve("disk"), megabytes);
    }

    /** Acquires locks with new names until the database has no room for another row. */
    private static BackendException fillTables(LockClient client, List<Lease> held) {
        for (int i = 0; i < 10_000; i++) {
            try {
                held.add(client.lock("new " + i + "x".repeat(500), LEASE)
                        .tryAcquire()
                        .orElseThrow());
            } catch (BackendException full) {
                return full;
            }
        }
        throw new AssertionError("The disk is not full");
    }

    @Test
    void fullTablesRefuseNewNamesWhileHoldersRenewAndRelease() throws Exception {
        try (SmallDisk disk = disk(8);
                PostgresServer server = PostgresServer.start()) {
            PostgresSite site = new PostgresSite(server);
            Path place = Files.createDirectory(disk.directory.resolve("place"));
            Files.setOwner(place, Files.getOwner(Path.of("/proc", Long.toString(server.pid()))));
            site.execute("CREATE TABLESPACE small LOCATION '" + place + "'");
            site.execute("ALTER DATABASE postgres SET default_tablespace = small");
            List<Lease> held = new ArrayList<>();
            try (LockClient holder = JdbcSite.connected(site.source());
                    LockClient other = JdbcSite.connected(site.source())) {
                Lease lease = holder.lock("held", LEASE).acquire();
                Task<Long> waiter = Task.start("waiter", () -> {
                    try (Lease next = other.lock("held", LEASE).acquire()) {
                        return next.fencingToken();
                    }
                });
                Await.until(
                        "it waits",
                        () -> !holder.inspector().describe("held").queue().isEmpty());
                disk.fill();
                BackendException full = fillTables(other, held);
                assertThat(full.isRetryable()).isTrue();
                assertThat(full).hasMessageContaining("No space left on device");
                assertThat(holder.health().toString()).doesNotContain("disconnected");
                long since = System.nanoTime();
                Await.until(
                        "the lease would have ended",
                        () -> System.nanoTime() - since > LEASE.lease().toNanos());
                assertThat(lease.verify()).as("it was renewed on the full disk").isTrue();
                lease.release();
                assertThat(waiter.get()).isGreaterThan(lease.fencingToken());
                disk.free();
                other.lock("new".repeat(300), LEASE).acquire().release();
                held.forEach(Lease::release);
            }
        }
    }

    @Test
    void serverThatStopsWithoutRoomForItsLogIsAnOutage() throws Exception {
        try (SmallDisk disk = disk(48);
                PostgresServer server = PostgresServer.start("max_wal_size=32MB", "min_wal_size=32MB")) {
            PostgresSite site = new PostgresSite(server);
            moveLog(site, disk.directory.resolve("log"));
            try (LockClient holder = JdbcSite.connected(site.source());
                    LockClient other = JdbcSite.connected(site.source())) {
                Lease lease = holder.lock("held", LEASE).acquire();
                site.execute("CREATE TABLE much (text TEXT)");
                disk.fill();
                assertThatThrownBy(() -> {
                            while (true) { // the server stops when it cannot make the next segment of its log
                                site.execute("INSERT INTO much SELECT repeat('x', 1000) FROM generate_series(1, 1000)");
                            }
                        })
                        .isInstanceOf(IllegalStateException.class);
                BackendException refused = refusal(other);
                assertThat(refused.isRetryable()).isTrue();
                System.out.println("a new caller is told: " + refused.getMessage());
                assertThat(lease.whenLost().toCompletableFuture())
                        .as("it cannot be renewed, and ends")
                        .succeedsWithin(LEASE.lease().multipliedBy(2));
                assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
                disk.free();
                server.kill(); // what is left of it
                server.restart();
                Await.until("a new caller gets the lock", () -> isAcquired(other));
                other.lock("held").unlock();
                Await.until("the holder's client works again", () -> isAcquired(holder));
                holder.lock("held").unlock();
            }
        }
    }

    /** Moves the write-ahead log of a server to another directory. */
    private static void moveLog(PostgresSite site, Path to) throws Exception {
        Path log = Path.of(
                site.query("SHOW data_directory", row -> row.getString(1)).get(0), "pg_wal");
        UserPrincipal owner = Files.getOwner(log);
        site.server.kill();
        try (Stream<Path> files = Files.walk(log)) {
            for (Path each : files.toList()) {
                Path copy = to.resolve(log.relativize(each).toString());
                Files.copy(each, copy, StandardCopyOption.COPY_ATTRIBUTES);
                Files.setOwner(copy, owner);
            }
        }
        Files.move(log, log.resolveSibling("pg_wal_before"));
        Files.createSymbolicLink(log, to);
        site.server.restart();
    }

    private static BackendException refusal(LockClient client) {
        BackendException[] refused = {null};
        Await.until("a new caller is refused", () -> {
            try {
                client.lock("new").tryLock(1, TimeUnit.MILLISECONDS);
                client.lock("new").unlock();
                return false;
            } catch (BackendException outage) {
                refused[0] = outage;
                return true;
            } catch (InterruptedException | RuntimeException other) {
                return false;
            }
        });
        return refused[0];
    }

    private static boolean isAcquired(LockClient client) {
        try {
            return client.lock("held").tryLock();
        } catch (BackendException later) {
            return false;
        }
    }
}
