// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BusyLock;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Clients tell one another about the locks that they use most. */
abstract class LockContractBusyLocks extends LockContractPart {

    private static final Duration LONG = Duration.ofSeconds(60);

    LockContractBusyLocks(LockSite site) {
        super(site);
    }

    /** Several threads of two clients contend. The server sees a part of the turns only: the others are handed over inside. */
    @Test
    void turnsOfAllClientsAddUpWithThoseHandedOverInside() {
        int perThread = 20;
        List<Task<?>> tasks = new ArrayList<>();
        for (Party client : List.of(party(), party())) {
            for (int i = 0; i < 3; i++) {
                FencedLock lock = client.lock(name);
                tasks.add(start(() -> {
                    for (int turn = 0; turn < perThread; turn++) {
                        lock.lock();
                        lock.unlock();
                    }
                    return null;
                }));
            }
        }
        tasks.forEach(task -> task.get(LONG));
        Await.until("all turns are announced", () -> turns(uses(LockKind.LOCK)) == 6L * perThread);
        List<BusyLock> uses = uses(LockKind.LOCK);
        assertThat(uses).hasSize(2).allSatisfy(use -> {
            assertThat(use.turns()).isEqualTo(3L * perThread);
            assertThat(use.waiting()).isZero();
            assertThat(use.waited()).isPositive();
            assertThat(use.held()).isPositive();
        });
    }

    @Test
    void aCallerThatWaitsIsAnnouncedAsWaiting() {
        Lease held = party().lock(name).acquire();
        CompletableFuture<Lease> waits = party().lock(name).acquireAsync().toCompletableFuture();
        Await.until("it is announced", () -> uses(LockKind.LOCK).stream().anyMatch(use -> use.waiting() == 1));
        held.release();
        get(waits).release();
        Await.until("its end, too", () -> {
            List<BusyLock> uses = uses(LockKind.LOCK);
            return uses.stream().allMatch(use -> use.waiting() == 0) && turns(uses) == 2;
        });
    }

    private static long turns(List<BusyLock> uses) {
        return uses.stream().mapToLong(BusyLock::turns).sum();
    }
}
