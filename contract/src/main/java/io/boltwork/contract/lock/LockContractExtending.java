// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.QueryReply;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Extensions of leases. */
abstract class LockContractExtending extends ContractPart {

    LockContractExtending(LockSite site) {
        super(site);
    }

    @Test
    void extendTakesOneRequestAndNeverShortensALease() {
        Party party = party();
        try (Lease lease = party.lock(name).acquire()) {
            long requests = party.backend().requests();
            lease.extend(Duration.ofMinutes(5));
            assertThat(party.backend().requests() - requests).isEqualTo(1);
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(295), Duration.ofMinutes(6));
            QueryReply.Inspected seen = inspect();
            assertThat(seen.untilMillis() - seen.server().millis()).isGreaterThan(295_000);
            lease.extend(Duration.ofMillis(1));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(290));
        }
        awaitFree();
    }

    @Test
    void anExtendedLeaseLastsTheRequestedTimeFromTheCall() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(FIXED));
        Lease lease = lock.acquire();
        long before = System.nanoTime();
        Duration longer = FIXED.multipliedBy(3);
        lease.extend(longer);
        Duration remaining = lease.remaining(); // not longer than the remaining time when this call has returned
        assertThat(remaining).isGreaterThanOrEqualTo(longer.minus(since(before)));
        FencedLock theirs = newLock();
        pass(FIXED.plus(FIXED.dividedBy(2)));
        assertThat(lease.isValid()).isTrue();
        assertThat(theirs.tryLock()).isFalse();
        assertThat(get(lease.whenLost()).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(since(before)).isBetween(longer, longer.plus(TOLERANCE));
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        visitor(theirs).get(PROMPT);
    }

    @Test
    void aRenewedLeaseIsStillRenewedAfterAnExtension() {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        Duration longer = RENEWED.multipliedBy(6).dividedBy(5);
        lease.extend(longer);
        pass(longer.plus(RENEWED.dividedBy(4)));
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void extensionsShorterThanTheLeaseDoNotPreventRenewal() {
        Lease lease = newLock().withOptions(LockOptions.renewedLease(RENEWED)).acquire();
        for (int i = 0; i < 13; i++) {
            lease.extend(Duration.ofMillis(10));
            pass(RENEWED.dividedBy(10));
        }
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aHoldByGrantGetsItsWholeLeaseDespiteAShortExtension() {
        for (LockOptions options : List.of(LockOptions.defaults(), LockOptions.fixedLease(Duration.ofSeconds(30)))) {
            FencedLock first = heldElsewhere();
            FencedLock ours = newLock().withOptions(options);
            CompletableFuture<Lease> granted = ours.acquireAsync().toCompletableFuture();
            awaitQueued(1);
            first.unlock();
            Lease lease = get(granted);
            lease.extend(Duration.ofMillis(10));
            Await.until("it has its whole lease", () -> lease.remaining().toSeconds() > 20);
            lease.release();
        }
    }

    @Test
    void viewsAndAsyncAndNestedLeasesCanBeExtended() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofSeconds(30)));
        Lease outer = lock.acquire();
        Lease nested = lock.acquire();
        nested.extend(Duration.ofMinutes(1));
        assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(50));
        lock.currentLease().orElseThrow().extend(Duration.ofMinutes(2));
        assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(110));
        nested.release();
        outer.release();
        Lease async = get(lock.acquireAsync());
        async.extend(Duration.ofMinutes(3));
        assertThat(async.remaining()).isGreaterThan(Duration.ofSeconds(170));
        async.release();
    }

    @Test
    void aHoldThatHasEndedIsNotExtended() {
        FencedLock lock = newLock();
        Lease released = lock.acquire();
        released.release();
        assertThatThrownBy(() -> released.extend(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name);

        Lease expired =
                lock.withOptions(LockOptions.fixedLease(Duration.ofMillis(10))).acquire();
        Await.until("the lease ends", () -> !expired.isValid());
        assertThatThrownBy(() -> expired.extend(Duration.ofSeconds(1))).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(expired::release).isInstanceOf(LeaseLostException.class);

        Lease taken = lock.acquire();
        site.deleteLock(name);
        FencedLock theirs = heldElsewhere();
        assertThatThrownBy(() -> taken.extend(Duration.ofSeconds(1)))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
        assertThat(taken.isValid()).isFalse();
        assertThatThrownBy(taken::release).isInstanceOf(LeaseLostException.class);
        theirs.unlock();
    }

    @Test
    void absurdExtensionsAreRefusedByName() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        long requests = party.backend().requests();
        for (Duration absurd : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofSeconds(61), // beyond the longest time
                Duration.ofDays(366),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.extend(absurd))
                    .withMessageContaining("atLeast");
        }
        assertThat(party.backend().requests()).isEqualTo(requests);
        lease.extend(Duration.ofSeconds(50));
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(45), Duration.ofMinutes(1));
        lease.release();
    }

    @Test
    void anUnansweredExtensionFailsAndTheLeaseIsUnchanged() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        site.freeze();
        long start = System.nanoTime();
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(5))).isInstanceOf(BackendException.class);
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(40));
        site.thaw();
        Await.until("the server answers again", lock::isLocked);
        lease.release();
        awaitFree();
    }

    @Test
    void aLeaseForgottenByTheServerIsExtendedAllTheSame() {
        Lease lease = newLock().acquire();
        site.deleteLock(name);
        lease.extend(Duration.ofMinutes(2));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(110));
        assertThat(inspect().token()).isEqualTo(lease.fencingToken());
        lease.release();
        awaitFree();
    }

    @Test
    void anInterruptDoesNotEndAnExtension() {
        Lease lease = newLock().acquire();
        Thread.currentThread().interrupt();
        lease.extend(Duration.ofMinutes(2));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(110));
        lease.release();
    }

    @Test
    void anExtendedLeaseIsNotPassedOnInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        Lease lease = lock.acquire();
        lease.extend(Duration.ofMinutes(5));
        Holder next = holdInTime(lock);
        next.task().awaitParked();
        lease.release();
        next.token();
        QueryReply.Inspected seen = inspect();
        assertThat(seen.token()).isEqualTo(next.token());
        assertThat(seen.untilMillis() - seen.server().millis()).isLessThan(60_000);
        next.release();
    }
}
