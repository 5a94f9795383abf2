// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.memory.MemoryReplica;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A failover to a server that has missed the newest releases and withdrawals. */
class LostReleasesTest {

    private static final int LOCKS = 5_000;

    private final StillClient client = new StillClient();

    LostReleasesTest() {
        client.engine.backendWatch.connected(client.server.time());
    }

    private List<Lease> leases(String prefix) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            leases.add(new EngineLock(client.engine, prefix + i, LockOptions.defaults())
                    .acquireAsync()
                    .toCompletableFuture()
                    .join());
        }
        return leases;
    }

    private void failOver(MemoryReplica replica) {
        client.server.failOver(replica);
        client.engine.backendWatch.connected(client.server.time());
    }

    private long owned(String prefix) {
        long owned = 0;
        for (int i = 0; i < LOCKS; i++) {
            QueryReply.Inspected lock = client.server.execute(new Query.Inspect(prefix + i));
            owned += lock.owner() == null ? 0 : 1;
        }
        return owned;
    }

    @Test
    void noneOf5000LocksBelongsToAFinishedRequest() {
        List<Lease> leases = leases("order:");
        MemoryReplica replica = client.server.replica();
        leases.forEach(Lease::releaseAsync);
        assertThat(owned("order:")).isZero();
        failOver(replica);
        assertThat(owned("order:"))
                .as("still owned, because releases are repeated in portions")
                .isBetween(4_000L, 4_999L);
        client.passTo(client.now() + Duration.ofMillis(200).toNanos());
        assertThat(owned("order:")).isZero();
        assertThat(client.isSound()).isTrue();
    }

    @Test
    void aLockReleased5000TimesIsFreeToo() {
        FencedLock lock = client.lock(LockOptions.defaults());
        MemoryReplica behind = null;
        for (int i = 0; i < LOCKS; i++) {
            Lease lease = lock.acquireAsync().toCompletableFuture().join();
            behind = i == LOCKS / 2 ? client.server.replica() : behind;
            lease.releaseAsync();
        }
        failOver(behind);
        client.passTo(client.now() + Duration.ofMillis(200).toNanos());
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aGrantThatWasWithdrawnIsWithdrawnAgain() {
        client.delay = Duration.ofMillis(5).toNanos();
        CompletionStage<Lease> wish = client.lock(LockOptions.defaults()).acquireAsync();
        MemoryReplica behind = client.server.replica();
        wish.toCompletableFuture().cancel(false);
        client.passTo(client.now() + Duration.ofMillis(200).toNanos()); // all is answered
        assertThat(client.isFree()).isTrue();
        failOver(behind);
        client.passTo(client.now() + Duration.ofMillis(200).toNanos());
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aPlaceInTheQueueThatWasWithdrawnIsWithdrawnAgain() {
        client.holdElsewhere(Duration.ofMinutes(1).toNanos());
        CompletionStage<Lease> wish = client.lock(LockOptions.defaults()).acquireAsync();
        MemoryReplica behind = client.server.replica();
        wish.toCompletableFuture().cancel(false);
        failOver(behind);
        client.passTo(client.now() + Duration.ofMillis(200).toNanos());
        assertThat(client.server.execute(new Query.Inspect("lock")).queue()).isEmpty();
    }

    @Test
    void aLockThatIsHeldAgainIsNotReleased() {
        FencedLock lock = client.lock(LockOptions.defaults());
        lock.acquireAsync().toCompletableFuture().join().releaseAsync();
        Lease lease = lock.acquireAsync().toCompletableFuture().join();
        failOver(client.server.replica());
        client.passTo(client.now() + Duration.ofMillis(200).toNanos());
        assertThat(lease.isValid()).isTrue();
        assertThat(client.isFree()).isFalse();
    }
}
