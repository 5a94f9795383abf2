// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests locks that count as acquired only when replicas have them. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ReplicationTest {
    private static final Duration ENOUGH = Duration.ofMillis(1_900);
    private static final Duration SHORT = Duration.ofMillis(500);

    private final ReplicaGroup group = ReplicaGroup.start(2);
    private final LockClient client = LockClient.create(RedisBackend.connectReplicated(group.uris()));
    private final LockClient other = LockClient.create(RedisBackend.connectReplicated(group.uris()));

    @AfterEach
    void stop() {
        try (group;
                client;
                other) {
            replicas().forEach(RedisServer::thaw);
        }
    }

    private List<RedisServer> replicas() {
        return group.servers().subList(1, 3);
    }

    private static LockOptions atLeast(int replicas, Duration within) {
        return LockOptions.defaults().withReplication(Replication.atLeast(replicas, within));
    }

    private static BackendException refused(ThrowingCallable call) {
        BackendException refused = catchThrowableOfType(BackendException.class, call);
        assertThat(refused).isNotNull();
        return refused;
    }

    @Test
    void aHeldLockIsAtTheReplicas() throws Exception {
        FencedLock lock = client.lock("l", atLeast(2, ENOUGH));
        for (int i = 0; i < 50; i++) {
            try (Lease lease = i % 2 == 0 ? lock.acquire() : lock.tryAcquire().orElseThrow()) {
                for (RedisServer replica : replicas()) {
                    assertThat(replica.command("HGET", "boltwork:{l}", "token"))
                            .isEqualTo(Long.toString(lease.fencingToken()));
                }
            }
        }
    }

    @Test
    void aReplicatedAcquisitionTakesTwoMoreRoundTrips() throws Exception {
        FencedLock lock = client.lock("l", atLeast(2, ENOUGH));
        lock.lock();
        lock.unlock();
        CommandStats.reset(group.servers().get(0));
        for (int i = 0; i < 10; i++) {
            lock.lock();
            lock.unlock();
        }
        CommandStats stats = CommandStats.of(group.servers().get(0));
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(30);
        assertThat(stats.of("wait")).as(stats.toString()).isEqualTo(10);
    }

    @Test
    void tooFewReplicasAreNamedAndTheLockIsGivenBack() throws Exception {
        FencedLock lock = client.lock("l", atLeast(3, SHORT));
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                lock::lock, lock::tryLock, lock::acquire, () -> lock.tryAcquire(Duration.ofSeconds(30)))) {
            long start = System.nanoTime();
            BackendException refused = refused(call);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, Slack.seconds(2));
            assertThat(refused)
                    .hasMessageContaining("Only 2 of the 3 replicas")
                    .hasMessageContaining("within 500 ms")
                    .hasMessageContaining("does not hold the lock 'l'");
            assertThat(refused.isRetryable()).isTrue();
            assertThat(other.lock("l").tryLock(1, TimeUnit.SECONDS)).isTrue();
            other.lock("l").unlock();
        }
        assertThat(lock.withOptions(atLeast(2, ENOUGH)).tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aGrantFromAnotherClientAlsoWaitsForReplicas() throws Exception {
        FencedLock theirs = other.lock("l");
        for (LockOptions options :
                List.of(atLeast(1, SHORT), atLeast(1, SHORT).withFairness(LockOptions.Fairness.FIFO))) {
            theirs.lock();
            CompletableFuture<Lease> waiting =
                    client.lock("l", options).acquireAsync().toCompletableFuture();
            Await.until(
                    "it waits", () -> !other.inspector().describe("l").queue().isEmpty());
            replicas().forEach(RedisServer::freeze);
            theirs.unlock();
            assertThat(waiting).failsWithin(Slack.seconds(2).toMillis(), TimeUnit.MILLISECONDS);
            BackendException refused = refused(() -> {
                try {
                    waiting.join();
                } catch (CompletionException e) {
                    throw e.getCause();
                }
            });
            assertThat(refused).hasMessageContaining("Only 0 of the 1 replicas");
            replicas().forEach(RedisServer::thaw);
            try (Lease lease = client.lock("l", atLeast(2, ENOUGH)).acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void manyLocksShareTheirFailedWaitsForReplicas() throws Exception {
        int locks = 50;
        Duration within = Duration.ofMillis(500);
        client.lock("first", atLeast(1, ENOUGH)).run(Duration.ofSeconds(1), () -> {}); // opens the third connection
        replicas().forEach(RedisServer::freeze);
        CommandStats.reset(group.servers().get(0));
        List<CompletableFuture<?>> all = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < locks; i++) {
            all.add(client.lock("l" + i, atLeast(1, within)).acquireAsync().toCompletableFuture());
        }
        for (CompletableFuture<?> one : all) {
            assertThat(one).failsWithin(Slack.seconds(4).toMillis(), TimeUnit.MILLISECONDS);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        long waits = CommandStats.of(group.servers().get(0)).of("wait");
        System.out.println(locks + " locks without replicas: " + waits + " WAITs, " + took.toMillis() + " ms");
        assertThat(waits).isBetween(1L, 3L);
    }

    @Test
    void aServerThatHasNoReplicasRefuses() {
        try (RedisServer alone = RedisServer.start();
                LockClient unreplicated = LockClient.create(RedisBackend.connect(alone.uri()))) {
            FencedLock lock = unreplicated.lock("l", atLeast(1, SHORT));
            assertThat(refused(lock::tryLock)).hasMessageContaining("Only 0 of the 1 replicas");
        }
    }

    @Test
    void theRightToWaitIsNamedIfItIsMissing() {
        RedisServer master = group.servers().get(0);
        master.command("ACL", "SETUSER", "few", "on", ">p", "~*", "&*", "+@all", "-wait");
        try (LockClient few = LockClient.create(RedisBackend.connect("redis://few:p@127.0.0.1:" + master.port()))) {
            FencedLock lock = few.lock("l", atLeast(1, SHORT));
            assertThat(refused(lock::tryLock)).hasMessageContaining("lacks a right: +wait");
            assertThat(refused(lock::lock)).hasMessageContaining("lacks a right: +wait");
        }
    }
}
