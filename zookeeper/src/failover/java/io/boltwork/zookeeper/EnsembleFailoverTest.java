// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients take a lock in turns while leaders are killed and frozen. The lock has one owner at a time, and the turns go
 * on.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class EnsembleFailoverTest {
    private static final int CLIENTS = 3;
    private static final int ROUNDS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private volatile boolean ended;

    @Test
    void lockHasOneOwnerWhileLeadersAreKilledAndFrozen() throws Exception {
        Path histories = directory.resolve("histories");
        java.nio.file.Files.createDirectories(histories);
        try (Ensemble ensemble = new Ensemble(directory)) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String process = "client-" + i;
                tasks.add(Task.start(process, () -> takeTurns(ensemble, histories, process)));
            }
            awaitTurns(100);
            for (int round = 0; round < ROUNDS; round++) {
                int killed = ensemble.killLeader();
                awaitTurns(100);
                ensemble.restart(killed);
                awaitTurns(100);
                int frozen = ensemble.freezeLeader();
                awaitTurns(100);
                ensemble.thaw(frozen);
                awaitTurns(100);
                Await.within(PATIENCE, "there is a leader", () -> ensemble.leader() >= 0);
            }
            ended = true;
            tasks.forEach(task -> task.get(PATIENCE));
        }
        HistoryChecker.Verdict verdict = HistoryChecker.checkEnded(History.read(histories));
        System.out.println("turns " + turns + ", losses " + losses + ", errors " + errors + ": " + verdict);
        assertThat(verdict.violations()).isEmpty();
    }

    private void awaitTurns(int more) {
        int before = turns.get();
        Await.within(PATIENCE, "the turns go on", () -> turns.get() >= before + more);
    }

    private boolean takeTurns(Ensemble ensemble, Path histories, String process) throws Exception {
        ZooKeeperOptions options = ZooKeeperSite.options();
        try (HistoryWriter history = HistoryWriter.open(histories, process);
                LockClient client = LockClient.create(ZooKeeperBackend.connect(ensemble.connectString(), options))) {
            FencedLock lock = history.recorded(client.lock("turns", LockOptions.renewedLease(Duration.ofSeconds(3))));
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
                Thread.sleep(1);
                boolean isValid = lease.get().isValid();
                lease.get().release();
                turns.addAndGet(isValid ? 1 : 0);
            }
        } catch (LeaseLostException lost) {
            losses.incrementAndGet();
        } catch (BackendException failed) {
            errors.incrementAndGet();
        }
    }
}
