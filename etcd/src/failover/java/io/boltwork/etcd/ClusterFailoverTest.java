// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients take a lock in turns while members fail. The lock has one owner at a time, tokens grow, and the turns go on.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class ClusterFailoverTest {
    private static final int CLIENTS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path histories;

    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private volatile boolean ended;

    /** The events in a cluster meanwhile. */
    private interface Days {
        void pass() throws Exception;
    }

    @BeforeEach
    void check() {
        assumeTrue(EtcdCluster.isInstalled(), "skipped: no etcd on the PATH");
    }

    private void takeTurns(String endpoints, Days days) throws Exception {
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String process = "client-" + i;
            tasks.add(Task.start(process, () -> takeTurns(endpoints, process)));
        }
        awaitTurns(100);
        days.pass();
        ended = true;
        tasks.forEach(task -> task.get(PATIENCE));
        HistoryChecker.Verdict verdict = HistoryChecker.checkEnded(History.read(histories));
        System.out.println("turns " + turns + ", losses " + losses + ", errors " + errors + ": " + verdict);
        assertThat(verdict.violations()).isEmpty();
    }

    private void awaitTurns(int more) {
        int before = turns.get();
        Await.within(PATIENCE, "the turns go on", () -> turns.get() >= before + more);
    }

    private boolean takeTurns(String endpoints, String process) throws Exception {
        try (HistoryWriter history = HistoryWriter.open(histories, process);
                LockClient client = LockClient.create(EtcdBackend.connect(endpoints, EtcdSite.options()))) {
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

    @Test
    void lockHasOneOwnerWhileLeadersAreKilledAndFrozen() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.start(3, "--unsafe-no-fsync")) {
            takeTurns(cluster.endpoints(), () -> {
                for (int round = 0; round < 3; round++) {
                    int killed = cluster.leader();
                    cluster.kill(killed);
                    awaitTurns(100);
                    cluster.restart(killed);
                    awaitTurns(100);
                    int frozen = cluster.leader();
                    cluster.freeze(frozen);
                    awaitTurns(100);
                    cluster.thaw(frozen);
                    awaitTurns(100);
                }
            });
        }
    }

    @Test
    void lockHasOneOwnerWhileLeadersAreCutOff() throws Exception {
        assumeTrue(PartedCluster.isPossible(), "skipped: ip netns needs root");
        try (PartedCluster cluster = PartedCluster.start()) {
            takeTurns(cluster.endpoints(), () -> {
                for (int round = 0; round < 3; round++) {
                    int parted = cluster.leader();
                    cluster.cutOff(parted);
                    awaitTurns(100);
                    cluster.join(parted);
                    awaitTurns(100);
                }
            });
        }
    }

    @Test
    void historyIsCompactedAndFilesAreDefragmentedMeanwhile() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.start(3, "--unsafe-no-fsync")) {
            takeTurns(cluster.endpoints(), () -> {
                for (int round = 0; round < 10; round++) {
                    compact(cluster);
                    for (int i = 0; i < 3; i++) {
                        cluster.post(i, "/v3/maintenance/defragment", "{}");
                    }
                    awaitTurns(50);
                }
            });
        }
    }

    private static void compact(EtcdCluster cluster) throws IOException {
        Json found = Json.read(cluster.post("/v3/kv/range", Json.text(Map.of("key", EtcdKeys.bytes("none")))));
        long revision = found.object("header").number("revision");
        cluster.post("/v3/kv/compaction", Json.text(Map.of("revision", revision, "physical", true)));
    }

    @Test
    void memberThatHasLostItsDataGetsThemFromASnapshot() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.start(3, "--unsafe-no-fsync", "--snapshot-count", "50")) {
            takeTurns(cluster.endpoints(), () -> {
                String put = Json.text(Map.of("key", EtcdKeys.bytes("other"), "value", new byte[0]));
                int lagging = (cluster.leader() + 1) % 3;
                cluster.freeze(lagging);
                int leader = cluster.leader();
                for (int i = 0; i < 6_000; i++) { // the leader keeps the last 5,000 entries of its log
                    cluster.post(leader, "/v3/kv/put", put);
                }
                awaitTurns(100);
                cluster.thaw(lagging);
                awaitTurns(100);
                cluster.kill(cluster.leader());
                awaitTurns(100);
            });
        }
    }

    @Test
    void copyOfTheDataThatIsRestoredIsAnotherClockAndLocksGoOn() throws Exception {
        assumeTrue(new ProcessBuilder("which", "etcdctl").start().waitFor() == 0, "skipped: no etcdctl on the PATH");
        try (EtcdCluster cluster = EtcdCluster.start(1, "--unsafe-no-fsync");
                LockClient client = LockClient.create(EtcdBackend.connect(cluster.endpoints(), EtcdSite.options()))) {
            FencedLock lock = client.lock("restored", LockOptions.fixedLease(Duration.ofSeconds(20)));
            Lease lease = lock.acquire();
            Path copy = histories.resolve("copy.db");
            etcdctl("--endpoints=" + cluster.endpoints(), "snapshot", "save", copy.toString());
            lease.release();
            cluster.kill(0);
            Files.move(cluster.dataOf(0), histories.resolve("old"));
            etcdctl(
                    "snapshot",
                    "restore",
                    copy.toString(),
                    "--name=member0",
                    "--data-dir=" + cluster.dataOf(0),
                    "--initial-cluster=" + cluster.initialCluster(),
                    "--initial-cluster-token=" + cluster.token(),
                    "--initial-advertise-peer-urls=" + cluster.initialCluster().split("=")[1]);
            cluster.restart(0);
            Await.within(PATIENCE, "the lease in the copy ends", () -> {
                try (LockClient other =
                        LockClient.create(EtcdBackend.connect(cluster.endpoints(), EtcdSite.options()))) {
                    return other.lock("restored").tryLock();
                } catch (BackendException later) {
                    return false;
                }
            });
        }
    }

    @Test
    void wallClocksThatStepEndNoLeaseEarlyOrLate() throws Exception {
        assumeTrue(SteppedClock.isPossible(), "skipped: the clock of a process is stepped on Linux on x86-64 only");
        Duration term = Duration.ofSeconds(4);
        try (EtcdCluster cluster = EtcdCluster.start(3, "--unsafe-no-fsync");
                LockClient client = LockClient.create(EtcdBackend.connect(cluster.endpoints(), EtcdSite.options()));
                LockClient other = LockClient.create(EtcdBackend.connect(cluster.endpoints(), EtcdSite.options()))) {
            takeTurns(cluster.endpoints(), () -> {
                for (Duration ahead : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
                    String name = "held while the clock steps by " + ahead;
                    long begun = System.nanoTime();
                    Lease lease =
                            client.lock(name, LockOptions.fixedLease(term)).acquire();
                    stepLeader(cluster, ahead);
                    Lease next = other.lock(name).acquire();
                    Duration waited = Duration.ofNanos(System.nanoTime() - begun);
                    assertThat(waited).isBetween(term, term.plus(Slack.of(Duration.ofSeconds(3))));
                    assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                    next.release();
                    awaitTurns(100);
                }
            });
        }
    }

    private static void stepLeader(EtcdCluster cluster, Duration ahead) throws Exception {
        int leader = cluster.leader();
        cluster.freeze(leader);
        SteppedClock.of(cluster.pid(leader)).step(ahead);
        cluster.thaw(leader);
        HttpRequest asked = HttpRequest.newBuilder(URI.create(cluster.endpoint(leader) + "/version"))
                .build();
        String date = HttpClient.newHttpClient()
                .send(asked, HttpResponse.BodyHandlers.discarding())
                .headers()
                .firstValue("Date")
                .orElseThrow();
        assertThat(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)))
                .isCloseTo(Instant.now().plus(ahead), within(1, ChronoUnit.MINUTES));
    }

    private static void etcdctl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("etcdctl"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("ETCDCTL_API", "3");
        assertThat(builder.start().waitFor()).isZero();
    }
}
