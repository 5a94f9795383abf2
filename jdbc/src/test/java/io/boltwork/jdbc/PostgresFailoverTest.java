// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.Await;
import io.boltwork.testkit.History;
import io.boltwork.testkit.HistoryChecker;
import io.boltwork.testkit.HistoryWriter;
import io.boltwork.testkit.PostgresServer;
import io.boltwork.testkit.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A primary of PostgreSQL is killed, and its streaming replica is promoted. Clients have both addresses in one URL. The lock has
 * one owner at a time, and holders keep their tokens.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class PostgresFailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions LEASE = LockOptions.renewedLease(Duration.ofSeconds(30));
    private static final String[] SETTINGS = {"max_connections=100", "synchronous_commit=on", "wal_level=replica"};

    @TempDir
    Path directory;

    private final AtomicInteger turns = new AtomicInteger();
    private volatile boolean ended;

    @BeforeEach
    void check() {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed");
    }

    /** A primary and its replica. */
    private static final class Pair implements AutoCloseable {
        final PostgresServer primary = PostgresServer.start(SETTINGS);
        final PostgresServer replica = primary.startReplica(SETTINGS);
        final PostgresSite first = new PostgresSite(primary);
        final PostgresSite second = new PostgresSite(replica);

        Pair() {
            Await.until(
                    "the replica follows",
                    () -> first.query("SELECT state FROM pg_stat_replication", row -> row.getString(1))
                            .equals(List.of("streaming")));
        }

        /** Lets commits of the primary wait for the replica. */
        Pair synchronous() {
            first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
            first.query("SELECT pg_reload_conf()", row -> row.getBoolean(1));
            Await.until(
                    "the replica is synchronous",
                    () -> first.query("SELECT sync_state FROM pg_stat_replication", row -> row.getString(1))
                            .equals(List.of("sync")));
            return this;
        }

        DataSource source() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            String hosts = hostAndPort(primary) + "," + hostAndPort(replica);
            source.setUrl("jdbc:postgresql://" + hosts + "/postgres?user=boltwork&targetServerType=primary");
            return source;
        }

        private static String hostAndPort(PostgresServer server) {
            return server.uri().replaceFirst(".*//([^/]*)/.*", "$1");
        }

        LockClient client() {
            return JdbcSite.connected(source());
        }

        void failOver() {
            primary.kill();
            second.query("SELECT pg_promote()", row -> row.getBoolean(1));
        }

        @Override
        public void close() {
            primary.close();
            replica.close();
        }
    }

    private static boolean verifies(Lease lease) {
        try {
            return lease.verify();
        } catch (BackendException later) {
            return false;
        }
    }

    @Test
    void holderKeepsItsTokenAndAWaiterGoesOn() {
        try (Pair pair = new Pair().synchronous();
                LockClient holder = pair.client();
                LockClient other = pair.client()) {
            Lease lease = holder.lock("failover", LEASE).acquire();
            long token = lease.fencingToken();
            Task<Long> waiter = Task.start("waiter", () -> {
                try (Lease next = other.lock("failover", LEASE).acquire()) {
                    return next.fencingToken();
                }
            });
            Await.until(
                    "it waits",
                    () -> !holder.inspector().describe("failover").queue().isEmpty());
            pair.failOver();
            assertThat(lease.isValid()).isTrue();
            Await.within(PATIENCE, "the hold is verified at the new primary", () -> verifies(lease));
            assertThat(lease.fencingToken()).isEqualTo(token);
            assertThat(pair.second.query("SELECT pg_is_in_recovery()", row -> row.getBoolean(1)))
                    .containsExactly(false);
            Await.within(PATIENCE, "the other is connected, too", () -> isConnected(other));
            assertThat(other.lock("failover", LEASE).tryLock()).isFalse();
            lease.release();
            assertThat(waiter.get(PATIENCE)).isGreaterThan(token);
        }
    }

    private static boolean isConnected(LockClient client) {
        try {
            client.inspector().describe("failover");
            return client.isConnected();
        } catch (BackendException later) {
            return false;
        }
    }

    @Test
    void holdThatTheReplicaHasNotSeenIsRestoredWithItsToken() {
        try (Pair pair = new Pair();
                LockClient holder = pair.client();
                LockClient other = pair.client()) {
            holder.lock("known", LEASE).acquire().release(); // the tables are at the replica
            Await.until(
                    "the replica has the tables",
                    () -> pair.second
                            .query("SELECT count(*) FROM boltwork_lock WHERE kind = 0", row -> row.getInt(1))
                            .equals(List.of(1)));
            pair.replica.kill();
            Lease lease = holder.lock("failover", LEASE).acquire();
            long token = lease.fencingToken();
            pair.primary.kill();
            pair.replica.restart();
            assertThat(pair.second.query(
                            "SELECT count(*) FROM boltwork_lock WHERE convert_from(name, 'UTF8') = 'failover'",
                            row -> row.getInt(1)))
                    .as("the next primary does not know the hold")
                    .containsExactly(0);
            pair.second.query("SELECT pg_promote()", row -> row.getBoolean(1));
            Await.within(PATIENCE, "the hold is verified at the new primary", () -> verifies(lease));
            assertThat(lease.fencingToken()).isEqualTo(token);
            Await.within(PATIENCE, "the other is connected, too", () -> isConnected(other));
            assertThat(other.lock("failover", LEASE).tryLock()).isFalse();
            lease.release();
            try (Lease next = other.lock("failover", LEASE).acquire()) {
                assertThat(next.fencingToken()).isGreaterThan(token);
            }
        }
    }

    @Test
    void lockHasOneOwnerWhileThePrimaryIsReplaced() throws Exception {
        Path histories = Files.createDirectory(directory.resolve("histories"));
        try (Pair pair = new Pair().synchronous()) {
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                String process = "client-" + i;
                tasks.add(Task.start(process, () -> takeTurns(pair, histories, process)));
            }
            awaitTurns(100);
            long begun = System.nanoTime();
            pair.failOver();
            awaitTurns(1);
            System.out.printf("turns went on after %d ms%n", (System.nanoTime() - begun) / 1_000_000);
            awaitTurns(100);
            ended = true;
            tasks.forEach(task -> task.get(PATIENCE));
        }
        HistoryChecker.Verdict verdict = HistoryChecker.checkEnded(History.read(histories));
        System.out.println(turns + " turns: " + verdict);
        assertThat(verdict.violations()).isEmpty();
    }

    private void awaitTurns(int more) {
        int before = turns.get();
        Await.within(PATIENCE, "the turns go on", () -> turns.get() >= before + more);
    }

    private boolean takeTurns(Pair pair, Path histories, String process) throws Exception {
        try (HistoryWriter history = HistoryWriter.open(histories, process);
                LockClient client = pair.client()) {
            FencedLock lock = history.recorded(client.lock("turns", LockOptions.renewedLease(Duration.ofSeconds(5))));
            while (!ended) {
                takeTurn(lock);
            }
        }
        return true;
    }

    private void takeTurn(FencedLock lock) throws InterruptedException {
        try {
            Optional<Lease> lease = lock.tryAcquire(Duration.ofSeconds(10));
            if (lease.isPresent()) {
                boolean isValid = lease.get().isValid();
                lease.get().release();
                turns.addAndGet(isValid ? 1 : 0);
            }
        } catch (LeaseLostException | BackendException interruption) { // the turns go on
        }
    }
}
