// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.DistributedLatch;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Latches when messages are lost, and when the server stops or forgets. */
abstract class LatchContractBadDays extends ContractPart {

    LatchContractBadDays(LockSite site) {
        super(site);
    }

    @Test
    void aLostMessageDelaysAWaiterByFiveSecondsAtMost() {
        Party party = party();
        DistributedLatch latch = party().client().latch(name);
        latch.trySetCount(1);
        CompletableFuture<Void> waiter = party.client().latch(name).awaitAsync().toCompletableFuture();
        assertThat(get(party.client().latch(name).awaitAsync(Duration.ZERO))).isFalse(); // asked after the other one
        party.backend().holdBackGrants();
        long start = System.nanoTime();
        latch.countDown();
        get(waiter);
        assertThat(since(start))
                .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5).plus(TOLERANCE));
    }

    @Test
    void changesAndWaitsOutliveAnOutage() {
        DistributedLatch latch = party().client().latch(name);
        DistributedLatch other = party().client().latch(name);
        latch.trySetCount(2);
        Task<?> waiter = run(other::await);
        waiter.awaitParked();
        latch.countDown();
        site.freeze();
        Task<?> change = run(latch::countDown);
        pass(Duration.ofMillis(200));
        assertThat(change.isDone()).isFalse();
        site.thaw();
        change.get();
        waiter.get();
        assertThat(latch.count()).isZero();
    }

    @Test
    void aBrokenConnectionCostsNoChangeAndNoWaiter() {
        DistributedLatch latch = party().client().latch(name);
        DistributedLatch other = party().client().latch(name);
        latch.trySetCount(2);
        CompletableFuture<Void> waiter = other.awaitAsync().toCompletableFuture();
        latch.countDown();
        site.disconnectAll();
        latch.countDown();
        get(waiter);
    }

    @Test
    void callsEndWithTheOutagePatience() {
        Duration patience = millis(1_200);
        Party party =
                party(ClientOptions.defaults().withOutagePatience(patience).withShutdownTime(Duration.ofSeconds(1)));
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(2);
        site.freeze();
        long start = System.nanoTime();
        Task<?> waiter = run(latch::await);
        assertThatThrownBy(latch::countDown).isInstanceOf(BackendException.class);
        assertThat(waiter.failure()).isInstanceOf(BackendException.class);
        assertThat(since(start))
                .isLessThan(
                        patience.plus(party.commandTimeout().multipliedBy(2)).plus(TOLERANCE));
        start = System.nanoTime();
        assertThatThrownBy(() -> latch.await(Duration.ofMillis(100))).isInstanceOf(BackendException.class);
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThatThrownBy(() -> latch.await(Duration.ZERO)).isInstanceOf(BackendException.class);
        assertThatThrownBy(latch::count).isInstanceOf(BackendException.class);
        site.thaw();
    }

    @Test
    void aForgottenCountIsAFailureAndNoPass() {
        DistributedLatch latch = party().client().latch(name);
        latch.trySetCount(1);
        DistributedLatch other = party().client().latch(name);
        CompletableFuture<Void> waiter = other.awaitAsync().toCompletableFuture();
        CompletableFuture<Boolean> timed =
                other.awaitAsync(Duration.ofMillis(100)).toCompletableFuture();
        assertThat(get(timed)).isFalse(); // the server knows the wait
        site.flush();
        assertThat(waiter.handle((value, failure) -> failure)
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("has forgotten the count of the latch '" + name + "'");
        assertThatThrownBy(latch::countDown).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aServerThatTakesOverEmptyGetsTheChangesAgain() {
        DistributedLatch latch = party().client().latch(name);
        DistributedLatch other = party().client().latch(name);
        latch.trySetCount(3);
        CompletableFuture<Void> waiter = other.awaitAsync().toCompletableFuture();
        latch.countDown();
        other.countDown("other");
        site.restartEmpty();
        Await.until("the changes were repeated", () -> countOf(latch) == 1);
        assertThat(waiter).isNotDone();
        other.countDown("other");
        assertThat(latch.count()).isEqualTo(1);
        latch.countDown();
        get(waiter);
    }

    private static int countOf(DistributedLatch latch) {
        try {
            return latch.count();
        } catch (BackendException notYet) {
            return -1;
        }
    }

    @Test
    void theEndOfTheClientEndsWaits() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(1);
        Task<?> waiter = run(latch::await);
        waiter.awaitParked();
        CompletableFuture<Void> async = latch.awaitAsync().toCompletableFuture();
        party.client().close();
        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        assertThat(failureOf(async)).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(latch::countDown).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(latch::await).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(latch::count).isInstanceOf(ClientClosedException.class);
    }
}
