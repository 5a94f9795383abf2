// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.MultiLock;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Multi-locks when the server stops or forgets, clients die or close, and locks are released by force. */
abstract class MultiLockContractBadDays extends MultiLockContractPart {

    MultiLockContractBadDays(LockSite site) {
        super(site);
    }

    @Test
    void aTryFailsWhileTheServerIsFrozen() {
        Party party = party();
        MultiLock all = all(party);
        site.freeze();
        long start = System.nanoTime();
        assertThatThrownBy(all::tryLock).isInstanceOf(BackendException.class);
        assertThat(since(start))
                .isLessThan(party.commandTimeout().multipliedBy(2).plus(TOLERANCE));
        site.thaw();
        assertFree(first, second, third);
        assertThat(all.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aTimedWaitEndsWhileTheServerIsFrozen() {
        Party party = party();
        MultiLock all = all(party);
        site.freeze();
        Duration wait = millis(100);
        long start = System.nanoTime();
        assertThatThrownBy(() -> all.tryAcquire(wait)).isInstanceOf(BackendException.class);
        assertThat(since(start)).isBetween(wait, wait.plus(TOLERANCE));
        assertThat(failureOf(all.tryAcquireAsync(wait))).isInstanceOf(BackendException.class);
        site.thaw();
        assertFree(first, second, third);
    }

    @Test
    void lockWaitsThroughAnOutage() {
        Party party = party();
        MultiLock all = all(party);
        MultiLock other = all(party());
        site.freeze();
        Task<?> waiter = run(() -> {
            all.lock();
            all.unlock();
        });
        CompletableFuture<Void> wish =
                other.acquireAsync().thenAccept(Lease::release).toCompletableFuture();
        pass(party.commandTimeout().plus(party.commandTimeout().dividedBy(2)));
        assertThat(waiter.isDone()).isFalse();
        assertThat(wish).isNotDone();
        site.thaw();
        waiter.get();
        get(wish);
        assertFree(first, second, third);
    }

    @Test
    void anUnlockEndsWhileTheServerIsFrozen() {
        Party party = party();
        MultiLock all = all(party);
        all.lock();
        site.freeze();
        long start = System.nanoTime();
        all.unlock();
        assertThat(since(start))
                .isLessThan(party.commandTimeout().multipliedBy(4).plus(TOLERANCE));
        site.thaw();
        assertFree(first, second, third);
    }

    @Test
    void aFlushIsHealedForAllMembers() {
        MultiLock all = all(party(), SHORT);
        Lease lease = all.acquire();
        long token = lease.of(all.members().get(0)).fencingToken();
        site.flush();
        Await.until(
                "the members are restored",
                () -> inspect(first).holders().size()
                                + inspect(second).holders().size()
                                + inspect(third).holders().size()
                        == 3);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.of(all.members().get(0)).fencingToken()).isEqualTo(token);
        lease.release();
    }

    @Test
    void membersOfADeadClientReturnByTheirLeases() {
        Party dead = doomedParty();
        get(all(dead, SHORT).acquireAsync());
        MultiLock all = all(party());
        CompletableFuture<Lease> wish = all.acquireAsync().toCompletableFuture();
        dead.kill();
        get(wish).release();
    }

    @Test
    void aForcedReleaseOfOneMemberIsALoss() {
        Party party = party();
        MultiLock all = all(party, SHORT);
        Lease lease = all.acquire();
        party().client().inspector().forceRelease(second);
        LeaseLoss loss = get(lease.whenLost());
        assertThat(loss.lockName()).isEqualTo(second);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertFree(first, second, third);
    }

    @Test
    void theEndOfTheClientEndsWaitsAndHolds() {
        FencedLock taken = newLockNamed(third);
        taken.lock();
        Party party = party();
        MultiLock all = all(party);
        Task<?> waiter = run(all::lock);
        awaitQueued(third);
        MultiLock held = party.client().multiLock(party.lock(name + ":8"), party.lock(name + ":9"));
        Lease lease = held.acquire();
        party.client().close();
        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.CLOSED);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(all::lock).isInstanceOf(ClientClosedException.class);
        taken.unlock();
        assertFree(first, second, third);
    }
}
