// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.LatchCommand;
import io.boltwork.testkit.wait.Task;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Setting the count of a latch, and counting down. */
abstract class LatchContractCounting extends ContractPart {

    LatchContractCounting(LockSite site) {
        super(site);
    }

    private DistributedLatch latch() {
        return party().client().latch(name);
    }

    @Test
    void theCountIsSetOnceUntilItIsZero() {
        DistributedLatch latch = latch();
        DistributedLatch other = latch();
        assertThat(latch.count()).isZero();
        assertThat(latch.trySetCount(2)).isTrue();
        assertThat(other.trySetCount(5)).isFalse();
        assertThat(other.count()).isEqualTo(2);
        other.countDown();
        assertThat(latch.trySetCount(5)).isFalse();
        latch.countDown();
        assertThat(latch.count()).isZero();
        latch.countDown();
        assertThat(latch.count()).isZero();
        assertThat(other.trySetCount(3)).isTrue();
        assertThat(latch.count()).isEqualTo(3);
    }

    @Test
    void aParticipantCountsOnceInAGeneration() {
        DistributedLatch latch = latch();
        DistributedLatch other = latch();
        latch.trySetCount(3);
        latch.countDown("a");
        other.countDown("a");
        get(latch.countDownAsync("a"));
        assertThat(latch.count()).isEqualTo(2);
        other.countDown("b");
        latch.countDown("c");
        assertThat(latch.count()).isZero();
        latch.trySetCount(2);
        latch.countDown("a");
        assertThat(latch.count()).isEqualTo(1);
    }

    @Test
    void manyThreadsCountExactly() {
        DistributedLatch first = latch();
        List<DistributedLatch> latches = List.of(first, latch());
        first.trySetCount(101);
        List<Task<?>> tasks = new ArrayList<>();
        for (DistributedLatch latch : latches) {
            for (int i = 0; i < 5; i++) {
                tasks.add(run(() -> {
                    for (int j = 0; j < 10; j++) {
                        latch.countDown();
                    }
                }));
            }
        }
        tasks.forEach(Task::get);
        assertThat(first.count()).isEqualTo(1);
    }

    @Test
    void changesMayBeAsynchronous() {
        DistributedLatch latch = latch();
        assertThat(get(latch.trySetCountAsync(2))).isTrue();
        assertThat(get(latch.trySetCountAsync(2))).isFalse();
        get(latch.countDownAsync());
        assertThat(latch.count()).isEqualTo(1);
    }

    @Test
    void aLostReplyDoesNotCountTwice() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        party.backend().loseReply(LatchCommand.SetCount.class::isInstance);
        assertThat(latch.trySetCount(3)).isTrue();
        party.backend().loseReply(LatchCommand.CountDown.class::isInstance);
        latch.countDown();
        assertThat(latch.count()).isEqualTo(2);
        party.backend().loseReply(LatchCommand.CountDown.class::isInstance);
        get(latch.countDownAsync());
        assertThat(latch.count()).isEqualTo(1);
    }

    @Test
    void aChangeTakesOneRequest() {
        Party party = party();
        DistributedLatch latch = party.client().latch(name);
        latch.trySetCount(5);
        latch.countDown();
        latch.count();
        assertThat(party.backend().requests()).isEqualTo(3);
    }

    @Test
    void aCountThatWasNeverSetCannotGoDown() {
        DistributedLatch latch = latch();
        assertThatThrownBy(latch::countDown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + name + "'")
                .hasMessageContaining("trySetCount");
        assertThat(failureOf(latch.countDownAsync("a"))).isInstanceOf(IllegalStateException.class);
        Party party = party();
        assertThatThrownBy(party.client().latch(name)::countDown).isInstanceOf(IllegalStateException.class);
        assertThat(party.backend().requests())
                .as("a client that has just connected waits for no repetitions")
                .isEqualTo(1);
    }

    @Test
    void wrongArgumentsAreRefused() {
        DistributedLatch latch = latch();
        assertThatThrownBy(() -> latch.trySetCount(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("count must be 1 or more, but is 0");
        assertThatThrownBy(() -> latch.trySetCountAsync(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> latch.countDown(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("participant must have 1 to 1024 bytes");
        assertThatThrownBy(() -> latch.countDown("x".repeat(1_025))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> latch.countDown("\uD800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> party().client().latch("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLatchAndALockOfOneNameAreIndependent() {
        Party party = party();
        FencedLock lock = party.lock(name);
        lock.lock();
        DistributedLatch latch = party.client().latch(name);
        assertThat(latch.trySetCount(1)).isTrue();
        latch.countDown();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(latch)
                .isEqualTo(party.client().latch(name))
                .hasSameHashCodeAs(party.client().latch(name));
        assertThat(latch.name()).isEqualTo(name);
    }
}
