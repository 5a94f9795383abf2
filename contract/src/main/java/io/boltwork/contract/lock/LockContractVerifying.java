// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.Test;

/** {@link Lease#verify()}, which asks the backend and extends nothing. */
abstract class LockContractVerifying extends ContractPart {

    LockContractVerifying(LockSite site) {
        super(site);
    }

    @Test
    void verifyingTakesOneRequestAndExtendsNothing() {
        Party party = party();
        Lease lease =
                party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1))).acquire();
        QueryReply.Inspected before = inspect();
        Duration remaining = lease.remaining();
        long requests = party.backend().requests();
        pass(site.clockTolerance().multipliedBy(2)); // by which an extension would move the end
        assertThat(lease.verify()).isTrue();
        assertThat(party.backend().requests() - requests).isEqualTo(1);
        long tolerance = site.clockTolerance().toMillis();
        assertThat(inspect().untilMillis())
                .isBetween(before.untilMillis() - tolerance, before.untilMillis() + tolerance);
        assertThat(lease.remaining()).isLessThanOrEqualTo(remaining);
        lease.release();
        assertThatThrownBy(lease::verify)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name);
    }

    @Test
    void verifyingDetectsATakenLease() {
        Lease lease = newLock().acquire();
        party().client().inspector().forceRelease(name);
        assertThatThrownBy(lease::verify)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.TAKEN));
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void verifyingDetectsAnExpiredLease() {
        Lease lease = newLock()
                .withOptions(LockOptions.fixedLease(Duration.ofMillis(10)))
                .acquire();
        Await.until("the lease ends", () -> !lease.isValid());
        assertThatThrownBy(lease::verify).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void verifyingRestoresAForgottenHold() {
        Lease lease = newLock().acquire();
        site.deleteLock(name);
        assertThat(lease.verify()).isTrue();
        assertThat(inspect().token()).isEqualTo(lease.fencingToken());
        lease.release();
        awaitFree();
    }

    @Test
    void theClockDecidesWithoutAnAnswer() {
        Party party = party();
        FencedLock lock = party.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
        Lease lease = lock.acquire();
        site.freeze();
        long start = System.nanoTime();
        assertThat(lease.verify()).isFalse();
        assertThat(since(start)).isLessThan(party.commandTimeout().plus(TOLERANCE));
        assertThat(lease.isValid()).isTrue();
        site.thaw();
        Await.until("the server answers again", lock::isLocked);
        assertThat(lease.verify()).isTrue();
        lease.release();
        awaitFree();
    }

    @Test
    void anInterruptDoesNotEndVerifying() {
        Lease lease = newLock().acquire();
        Thread.currentThread().interrupt();
        assertThat(lease.verify()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        lease.release();
    }

    @Test
    void viewsAndAsyncAndNestedLeasesCanBeVerified() {
        FencedLock lock = newLock();
        Lease outer = lock.acquire();
        Lease nested = lock.acquire();
        assertThat(nested.verify()).isTrue();
        assertThat(lock.currentLease().orElseThrow().verify()).isTrue();
        nested.release();
        outer.release();
        Lease async = get(lock.acquireAsync());
        assertThat(async.verify()).isTrue();
        async.release();
    }

    @Test
    void aVerifiedLeaseIsPassedOnInMemory() {
        Party party = party(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        FencedLock lock = party.lock(name);
        Lease lease = lock.acquire();
        assertThat(lease.verify()).isTrue();
        Holder next = holdInTime(lock);
        next.task().awaitParked();
        long requests = party.backend().requests();
        lease.release();
        Await.until("the next holds", next::isHolding);
        assertThat(party.backend().requests()).isEqualTo(requests);
        next.release();
    }

    @Test
    void verifyingReportsTheLossAfterClose() {
        Party party = party();
        Lease lease = party.lock(name).acquire();
        party.client().close();
        assertThatThrownBy(lease::verify)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(Reason.CLOSED));
    }
}
