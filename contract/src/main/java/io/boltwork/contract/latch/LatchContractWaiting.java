// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.DistributedLatch;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Command;
import io.boltwork.spi.LatchCommand;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Waiting for a latch. */
abstract class LatchContractWaiting extends ContractPart {

    LatchContractWaiting(LockSite site) {
        super(site);
    }

    private DistributedLatch latch() {
        return party().client().latch(name);
    }

    private static boolean isWait(Command<?> command) {
        return command instanceof LatchCommand.Await await && await.waits();
    }

    /** Waits until a client has asked the server as often as that. */
    private static void awaitAsked(Party party, long times) {
        Await.until(times + " questions", () -> party.backend().requests(LatchContractWaiting::isWait) >= times);
    }

    @Test
    void allWaitersPassAtZero() {
        Party here = party();
        Party there = party();
        DistributedLatch latch = here.client().latch(name);
        latch.trySetCount(2);
        List<Task<?>> waiters = new ArrayList<>();
        for (Party party : List.of(here, there)) {
            waiters.add(run(() -> party.client().latch(name).await()));
            waiters.add(run(() -> assertThat(party.client().latch(name).await(PROMPT.multipliedBy(5)))
                    .isTrue()));
            waiters.add(run(() -> get(party.client().latch(name).awaitAsync())));
            awaitAsked(party, 1);
        }
        latch.countDown();
        assertThat(waiters).noneMatch(Task::isDone);
        latch.countDown();
        waiters.forEach(waiter -> waiter.get(PROMPT));
    }

    @Test
    void lateComersPass() throws InterruptedException {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        latch.countDown();
        DistributedLatch late = latch();
        late.await();
        assertThat(late.await(Duration.ZERO)).isTrue();
        get(late.awaitAsync());
        assertThat(get(late.awaitAsync(Duration.ZERO))).isTrue();
    }

    @Test
    void aWaiterThatComesBeforeTheCountIsSetWaitsForItsEnd() {
        Party party = party();
        Task<?> waiter = run(() -> party.client().latch(name).await());
        awaitAsked(party, 1);
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        assertThat(waiter.isDone()).isFalse();
        latch.countDown();
        waiter.get(PROMPT);
    }

    @Test
    void aWaiterOfAnEndedGenerationPassesAlthoughTheNextHasBegun() {
        Party party = party();
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        CompletableFuture<Void> waiter = party.client().latch(name).awaitAsync().toCompletableFuture();
        awaitAsked(party, 1);
        Await.until("the wait has begun", () -> party.client().latch(name).count() == 1);
        party.backend().holdBackGrants(); // loses the message
        latch.countDown();
        latch.trySetCount(1);
        get(waiter);
        party.backend().deliverGrants();
        assertThat(latch.count()).isEqualTo(1);
        latch.countDown();
    }

    @Test
    void aWaiterOfTheNextGenerationDoesNotPassForTheFirst() {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        latch.countDown();
        latch.trySetCount(1);
        assertThat(get(latch.awaitAsync(Duration.ofMillis(100)))).isFalse();
        latch.countDown();
        assertThat(get(latch.awaitAsync(Duration.ofMillis(100)))).isTrue();
    }

    @Test
    void aTimedWaitEndsInTime() throws InterruptedException {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        Duration wait = millis(150);
        long start = System.nanoTime();
        assertThat(latch.await(wait)).isFalse();
        assertThat(since(start)).isBetween(wait, wait.plus(TOLERANCE));
        assertThat(latch.await(Duration.ZERO)).isFalse();
        assertThat(get(latch.awaitAsync(wait))).isFalse();
        assertThat(get(latch.awaitAsync(Duration.ZERO))).isFalse();
    }

    @Test
    void anInterruptEndsTheWait() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(1);
        Task<?> waiter = run(latch::await);
        awaitAsked(party, 1);
        waiter.awaitParked();
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> latch.await(PROMPT)).isInstanceOf(InterruptedException.class);
        assertThat(latch.count()).isEqualTo(1);
    }

    @Test
    void aCancelledWaitIsWithdrawn() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(1);
        CompletableFuture<Void> waiter = latch.awaitAsync().toCompletableFuture();
        awaitAsked(party, 1);
        waiter.cancel(true);
        Await.until(
                "the server is told",
                () -> party.backend()
                                .requests(command -> command instanceof LatchCommand.Await await
                                        && !await.client().isEmpty()
                                        && !await.waits())
                        == 1);
        latch.countDown();
    }

    @Test
    void waitersOfOneClientDoNotPoll() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(1);
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(latch.awaitAsync().toCompletableFuture());
        }
        awaitAsked(party, 1);
        pass(Duration.ofMillis(500));
        assertThat(party.backend().requests(LatchContractWaiting::isWait))
                .as("a question for each wait, or for several that began together")
                .isLessThanOrEqualTo(10);
        latch.countDown();
        waiters.forEach(ContractPart::get);
    }
}
