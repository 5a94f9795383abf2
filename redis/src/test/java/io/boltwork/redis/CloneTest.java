// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.NamedClients;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests two clients with the same id, as after the restoration of a snapshot, on a real Redis and on a cluster. */
class CloneTest {

    /** A short lease, so that a hold which is not released ends soon. */
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(2));

    private final List<LockClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
    }

    private LockClient clone(LockBackend backend) {
        LockClient client = NamedClients.create(backend, "clone");
        clients.add(client);
        return client;
    }

    private static <T> T get(CompletableFuture<T> future) {
        assertThat(future).succeedsWithin(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
        return future.join();
    }

    @Test
    void aCloneIsDetectedAndBothClientsContinueWithOwnIds() {
        try (RedisServer redis = RedisServer.start()) {
            noticed(() -> RedisBackend.connect(redis.uri()), redis);
            close();
            clients.clear();
        }
    }

    @Test
    void aCloneIsDetectedInAClusterToo() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterSite.PATIENT)) {
            Supplier<LockBackend> backend = () -> RedisBackend.connectCluster(group.uris());
            RedisServer master = group.masterOf("boltwork:client:clone");
            noticed(backend, master);
            close();
            clients.clear();
        }
    }

    private void noticed(Supplier<LockBackend> backend, RedisServer redis) {
        LockClient one = clone(backend.get());
        Lease first = one.lock("lock", OPTIONS).acquire();
        redis.command("DEL", "boltwork:client:clone"); // both were announced before the snapshot
        LockClient other = clone(backend.get());
        Lease second = other.lock("lock", OPTIONS).acquire(); // its first request has the same id, so it is the owner
        assertThat(first.fencingToken()).isEqualTo(second.fencingToken());
        LeaseLoss loss = get(CompletableFuture.anyOf(
                        first.whenLost().toCompletableFuture(),
                        second.whenLost().toCompletableFuture())
                .thenApply(LeaseLoss.class::cast));
        assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.CLONED);
        for (Lease lease : List.of(first, second)) {
            try {
                lease.release();
            } catch (LeaseLostException e) {
                assertThat(e.loss().reason()).isEqualTo(LeaseLoss.Reason.CLONED);
            }
        }
        takeTurnsInTheEnd(one.lock("lock", OPTIONS), other.lock("lock", OPTIONS));
    }

    /** Passes the lock back and forth, and once more if the client that kept its id finds the other client's nonce. */
    private static void takeTurnsInTheEnd(FencedLock one, FencedLock other) {
        try {
            takeTurns(one, other);
        } catch (LeaseLostException e) {
            assertThat(e.loss().reason()).isEqualTo(LeaseLoss.Reason.CLONED);
            takeTurns(one, other);
        }
    }

    /** Checks that each client receives its grants as messages on the channels of its own id. */
    private static void takeTurns(FencedLock one, FencedLock other) {
        for (int i = 0; i < 5; i++) {
            for (List<FencedLock> turn : List.of(List.of(one, other), List.of(other, one))) {
                Lease held = get(turn.get(0).acquireAsync().toCompletableFuture());
                CompletableFuture<Lease> waits = turn.get(1).acquireAsync().toCompletableFuture();
                held.release();
                get(waits).release();
            }
        }
    }
}
