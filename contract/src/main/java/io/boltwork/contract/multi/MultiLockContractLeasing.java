// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.MultiLock;
import io.boltwork.contract.LockSite;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The lease of a multi-lock: tokens, deadlines, loss, release, and asynchronous requests. */
abstract class MultiLockContractLeasing extends MultiLockContractPart {

    MultiLockContractLeasing(LockSite site) {
        super(site);
    }

    @Test
    void theLeaseHasATokenForEachMember() {
        Party party = party();
        MultiLock all = all(party);
        Lease lease = all.acquire();
        assertThatThrownBy(lease::fencingToken)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("of(lock).fencingToken()");
        for (FencedLock member : all.members()) {
            assertThat(lease.of(member).fencingToken()).isEqualTo(tokenOf(member));
            assertThat(lease.of(member).lockName()).isEqualTo(member.name());
            assertThat(lease.of(member.withOptions(SHORT)).of(member).isValid()).isTrue();
        }
        FencedLock other = party.lock(name);
        assertThatThrownBy(() -> lease.of(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> lease.of(all.members().get(0)).of(all.members().get(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(lease.lockName()).isEqualTo(all.name());
        lease.release();
        lease.release();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid).isInstanceOf(IllegalStateException.class);
        assertFree(first, second, third);
    }

    @Test
    void theDeadlineIsTheLeastOfTheMembers() {
        Party party = party();
        LockOptions longer = LockOptions.defaults().withFixedLease(Duration.ofSeconds(60));
        LockOptions shorter = LockOptions.defaults().withFixedLease(Duration.ofSeconds(20));
        MultiLock both = party.client().multiLock(party.lock(first, longer), party.lock(second, shorter));
        try (Lease lease = both.acquire()) {
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(20));
            lease.extend(Duration.ofSeconds(50));
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(35), Duration.ofSeconds(60));
            assertThat(lease.verify()).isTrue();
            lease.ensureValid();
        }
    }

    @Test
    void aFixedLeaseIsThatOfEachMember() throws InterruptedException {
        MultiLock all = all(party());
        all.lock(Duration.ofSeconds(20));
        assertThat(all.currentLease().orElseThrow().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
        all.unlock();
        assertThat(all.tryLock(PROMPT, Duration.ofSeconds(20))).isTrue();
        assertThat(all.currentLease().orElseThrow().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
        all.unlock();
        assertThat(all.currentLease()).isEmpty();
    }

    @Test
    void theLeaseIsLostWithItsFirstMember() {
        Party party = party();
        MultiLock both = party.client().multiLock(party.lock(first), party.lock(second, ENDS));
        Lease lease = both.acquire();
        CompletionStage<LeaseLoss> lost = lease.whenLost();
        assertThat(get(lost).reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(get(lost).lockName()).isEqualTo(second);
        assertThat(lease.isValid()).isFalse();
        assertThat(both.isHeldByCurrentThread()).isFalse();
        assertThat(both.holdCount()).isZero();
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThat(lease.of(party.lock(first)).isValid()).isTrue();
        assertTaken(first);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertFree(first, second);
    }

    @Test
    void anUnlockAfterALossReleasesTheOtherMembers() {
        Party party = party();
        MultiLock both = party.client().multiLock(party.lock(first, ENDS), party.lock(second));
        both.lock();
        get(both.currentLease().orElseThrow().whenLost());
        assertThatThrownBy(both::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(both::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        e -> assertThat(e.loss().lockName()).isEqualTo(first));
        assertFree(first, second);
        both.lock();
        both.unlock();
    }

    @Test
    void allMembersAreRenewed() {
        MultiLock all = all(party(), SHORT);
        all.lock();
        pass(RENEWED.multipliedBy(2));
        assertThat(all.isHeldByCurrentThread()).isTrue();
        assertTaken(first, second, third);
        all.unlock();
    }

    @Test
    void aMemberCanBeReleasedAlone() {
        Party party = party();
        Lease lease = all(party).acquire();
        lease.of(party.lock(second)).release();
        assertFree(second);
        assertTaken(first, third);
        assertThat(lease.isValid()).isFalse();
        lease.release();
        assertFree(first, third);
    }

    @Test
    void anAsyncLeaseBelongsToItsHandle() {
        MultiLock all = all(party());
        Lease lease = get(all.acquireAsync());
        assertThat(all.isHeldByCurrentThread()).isFalse();
        assertThat(lease.isValid()).isTrue();
        assertTaken(first, second, third);
        assertThat(get(all.tryAcquireAsync(Duration.ZERO))).isEmpty();
        get(lease.releaseAsync());
        assertFree(first, second, third);
        get(all.tryAcquireAsync(PROMPT)).orElseThrow().release();
    }

    @Test
    void anAsyncReleaseAfterALossFails() {
        Party party = party();
        MultiLock both = party.client().multiLock(party.lock(first, ENDS), party.lock(second));
        Lease lease = get(both.acquireAsync());
        get(lease.whenLost());
        assertThat(failureOf(lease.releaseAsync())).isInstanceOf(LeaseLostException.class);
        assertFree(first, second);
    }

    @Test
    void aCancelledAsyncRequestLeavesNothing() {
        MultiLock all = all(party());
        FencedLock taken = newLockNamed(second);
        taken.lock();
        CompletableFuture<Lease> wish = all.acquireAsync().toCompletableFuture();
        awaitQueued(second);
        wish.cancel(true);
        assertFree(first);
        Await.until("no request waits", () -> inspect(second).queue().isEmpty());
        taken.unlock();
        assertFree(first, second, third);
    }

    @Test
    void bodiesRunUnderAllMembers() throws Exception {
        Party party = party();
        MultiLock all = all(party);
        all.run(PROMPT, () -> assertThat(all.isHeldByCurrentThread()).isTrue());
        assertThat(all.<Integer>call(PROMPT, all::holdCount)).isEqualTo(1);
        CompletionStage<Boolean> call =
                all.callAsync(PROMPT, lease -> CompletableFuture.completedFuture(lease.isValid()));
        assertThat(get(call)).isTrue();
        FencedLock taken = newLockNamed(third);
        taken.lock();
        assertThatThrownBy(() -> all.run(Duration.ZERO, () -> {}))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(first);
        assertThat(failureOf(all.callAsync(Duration.ZERO, lease -> CompletableFuture.completedFuture(1))))
                .isInstanceOf(LockTimeoutException.class);
        taken.unlock();
        assertFree(first, second, third);
    }

    @Test
    void anInterruptingOptionIsRefusedWithoutAThread() {
        MultiLock all = all(party(), LockOptions.defaults().withOnLoss(LockOptions.OnLoss.INTERRUPT));
        assertThatThrownBy(all::acquireAsync).isInstanceOf(UnsupportedOperationException.class);
        all.lock();
        all.unlock();
    }
}
