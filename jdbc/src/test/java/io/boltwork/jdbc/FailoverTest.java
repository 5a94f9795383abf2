// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The primary of a database is killed, and its replica is promoted. Clients have both addresses in one URL. The lock
 * has one owner at a time, and holders keep their tokens. The subclasses name the database.
 */
abstract class FailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions LEASE = LockOptions.renewedLease(Duration.ofSeconds(30));

    @TempDir
    Path directory;

    private final AtomicInteger turns = new AtomicInteger();
    private volatile boolean ended;

    /** A primary and its replica. */
    interface Pair extends AutoCloseable {
        /** Lets commits of the primary wait for the replica. */
        Pair synchronous();

        /** Returns connections to the one that is the primary. */
        DataSource source();

        /** Returns whether the replica has a lock. */
        boolean hasReplica(String lock);

        void killReplica();

        /** Starts the killed replica again. */
        void restartReplica();

        void killPrimary();

        /** Makes the replica the primary. */
        void promote();

        /** Returns whether the replica has become the primary. */
        boolean isPromoted();

        default void failOver() {
            killPrimary();
            promote();
        }

        default LockClient client() {
            return JdbcSite.connected(source());
        }

        @Override
        void close();
    }

    /** Starts a pair whose replica follows its primary. */
    abstract Pair start();

    private static boolean verifies(Lease lease) {
        try {
            return lease.verify();
        } catch (BackendException later) {
            return false;
        }
    }

    @Test
    void holderKeepsItsTokenAndAWaiterGoesOn() {
        try (Pair pair = start().synchronous();
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
            assertThat(pair.isPromoted()).isTrue();
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
        try (Pair pair = start();
                LockClient holder = pair.client();
                LockClient other = pair.client()) {
            holder.lock("known", LEASE).acquire().release(); // the tables are at the replica
            Await.until("the replica has it", () -> pair.hasReplica("known"));
            pair.killReplica();
            Lease lease = holder.lock("failover", LEASE).acquire();
            long token = lease.fencingToken();
            pair.killPrimary();
            pair.restartReplica();
            assertThat(pair.hasReplica("failover"))
                    .as("the next primary knows the hold")
                    .isFalse();
            pair.promote();
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
        try (Pair pair = start().synchronous()) {
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
