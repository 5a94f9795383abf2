// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.BoltworkExtension;
import io.boltwork.testkit.TestLocks;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples of docs/start/testing.md for JUnit. */
// @start region="bad-days"
@ExtendWith(BoltworkExtension.class)
class BadDaysTest {
    LockClient locks; // new for each test, and so is its server

    @Test
    void anotherJvmHoldsTheLock(TestLocks all) throws Exception {
        try (Lease other = all.newClient().lock("stock:1001").acquire()) {
            assertThat(Till.buy(locks, () -> {})).isEqualTo("busy");
        }
    }

    @Test
    void theLockIsLostDuringTheWork() throws Exception {
        assertThat(Till.buy(locks, () -> locks.inspector().forceRelease("stock:1001")))
                .isEqualTo("check it");
    }

    @Test
    void anotherJvmOvertakesAHolderThatSleeps(TestLocks all) {
        Lease late = locks.lock("stock:1001").acquire();
        all.server().advance(Duration.ofMinutes(1)); // the lease has ended, and its holder does not know
        try (Lease next = all.newClient().lock("stock:1001").acquire()) {
            assertThat(late.fencingToken()).isLessThan(next.fencingToken()); // so a guard refuses its write
        }
    }

    @Test
    void theServerIsDown(MemoryServer server) throws Exception {
        server.cutOff(); // until thaw()
        assertThat(Till.buy(locks, () -> {})).isEqualTo("try later");
    }

    @Test
    void transfersInBothDirectionsDeadlock(TestLocks all) {
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        Task<Boolean> there = Task.start("there", () -> Till.transfer(locks, "a", "b", bothHaveOne));
        Task<Boolean> back = Task.start("back", () -> Till.transfer(locks, "b", "a", bothHaveOne));
        assertThat(all.awaitDeadlock().cycle()).extracting("lockName").containsExactlyInAnyOrder("a", "b");
        locks.inspector().forceRelease("a"); // ends it
        assertThat(back.get()).isTrue();
        assertThat(there.failure()).isInstanceOf(LeaseLostException.class);
    }
}
// @end
