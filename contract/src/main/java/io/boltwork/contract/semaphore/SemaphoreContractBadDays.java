// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.semaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.PermitsExceededException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of permits when leases end, clients die, and servers forget or stop. */
abstract class SemaphoreContractBadDays extends ContractPart {

    private static final LockOptions SHORT = LockOptions.defaults().withRenewedLease(RENEWED);
    private static final LockOptions ENDS = LockOptions.defaults().withFixedLease(FIXED);

    SemaphoreContractBadDays(LockSite site) {
        super(site);
    }

    private LeasedSemaphore semaphore(int permits, LockOptions options) {
        return party().client().semaphore(name, permits, options);
    }

    private void awaitWaiting(int requests) {
        Await.until(
                requests + " requests wait",
                () -> inspect(LockKind.SEMAPHORE, name).queue().size() == requests);
    }

    @Test
    void leasesAreRenewed() {
        LeasedSemaphore semaphore = semaphore(2, SHORT);
        Lease one = semaphore.acquire();
        Lease two = semaphore.acquire();
        pass(RENEWED.multipliedBy(2));
        assertThat(one.isValid()).isTrue();
        assertThat(two.isValid()).isTrue();
        assertThat(semaphore.tryAcquire()).isEmpty();
    }

    @Test
    void aFixedLeaseEnds() {
        Lease lease = semaphore(1, ENDS).acquire();
        LeaseLoss loss = get(lease.whenLost());
        assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(lease.isValid()).isFalse();
        assertThat(get(semaphore(1, SHORT).acquireAsync()).isValid()).isTrue();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aWaiterIsServedWhenAFixedLeaseEnds() {
        LeasedSemaphore waiter = semaphore(2, SHORT);
        LeasedSemaphore holder = semaphore(2, ENDS);
        long start = System.nanoTime();
        Lease lease = holder.acquire(2);
        Lease served = get(waiter.acquireAsync());
        assertThat(since(start)).isBetween(FIXED.minusMillis(20), FIXED.plus(TOLERANCE));
        assertThat(lease.isValid()).isFalse();
        served.release();
    }

    @Test
    void permitsOfLeasesThatHaveEndedAreFreeAndTheOthersAreNot() {
        LeasedSemaphore semaphore = semaphore(10, SHORT);
        Lease stays = semaphore.acquire(3);
        Lease ends = semaphore.withOptions(ENDS).acquire(3);
        assertThat(semaphore.availablePermits()).isEqualTo(4);
        get(ends.whenLost());
        Await.until("the server knows", () -> semaphore.availablePermits() == 7);
        assertThatThrownBy(ends::release).isInstanceOf(LeaseLostException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(7);
        stays.release();
        assertThat(semaphore.availablePermits()).isEqualTo(10);
    }

    @Test
    void aLeaseTellsHowMuchOfItIsLeft() {
        Lease lease =
                semaphore(1, LockOptions.fixedLease(Duration.ofMinutes(1))).acquire();
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(40), Duration.ofMinutes(1));
        lease.extend(Duration.ofMinutes(3));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(2));
        lease.release();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void aLeaseThatHasEndedIsNotExtended() {
        Lease lease = semaphore(1, ENDS).acquire();
        get(lease.whenLost());
        assertThatThrownBy(() -> lease.extend(FIXED)).isInstanceOf(LeaseLostException.class);
        assertThat(get(semaphore(1, SHORT).acquireAsync()).isValid()).isTrue();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseCanBeExtended() {
        Lease lease = semaphore(1, ENDS).acquire();
        lease.extend(FIXED.multipliedBy(4));
        pass(FIXED.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void thePermitsOfAKilledHolderReturnAfterItsLease() {
        Party killed = doomedParty();
        killed.client().semaphore(name, 2, SHORT).acquire(2);
        CompletableFuture<Lease> waiting = semaphore(2, SHORT).acquireAsync(2).toCompletableFuture();
        awaitWaiting(1);
        killed.kill();
        long start = System.nanoTime();
        get(waiting);
        assertThat(since(start)).isLessThan(RENEWED.plus(TOLERANCE));
    }

    @Test
    void aKilledWaiterDelaysNoOther() {
        Lease held = semaphore(2, SHORT).acquire(2);
        Party killed = doomedParty();
        killed.client().semaphore(name, 2, SHORT).acquireAsync(2);
        awaitWaiting(1);
        CompletableFuture<Lease> waiting = semaphore(2, SHORT).acquireAsync(2).toCompletableFuture();
        awaitWaiting(2);
        killed.kill();
        long start = System.nanoTime();
        held.release();
        get(waiting);
        assertThat(since(start)).isLessThan(PROMPT.plus(TOLERANCE));
    }

    @Test
    void aHoldThatTheServerForgotIsRestored() {
        LeasedSemaphore semaphore = semaphore(2, SHORT);
        Lease lease = semaphore.acquire();
        long token = lease.fencingToken();
        site.flush();
        Await.until(
                "the hold is back",
                () -> inspect(LockKind.SEMAPHORE, name).holders().size() == 1);
        assertThat(inspect(LockKind.SEMAPHORE, name).holders().get(0).token()).isEqualTo(token);
        assertThat(lease.isValid()).isTrue();
        assertThat(semaphore.tryAcquire(2)).as("one of two permits is held").isEmpty();
        lease.release();
    }

    @Test
    void releasingPermitsThatWereForgottenIsClean() {
        LeasedSemaphore semaphore = semaphore(2, LockOptions.defaults());
        Lease lease = semaphore.acquire();
        site.flush();
        lease.release();
        assertThat(lease.isValid()).isFalse();
        assertThat(semaphore.tryAcquire(2)).isPresent();
    }

    @Test
    void aNumberThatWasSetOutlivesAFlushIfAClientKnowsIt() {
        LeasedSemaphore semaphore = semaphore(1, SHORT);
        semaphore.resize(3);
        Lease lease = semaphore.acquire();
        site.flush();
        Await.until(
                "the number is back", () -> inspect(LockKind.SEMAPHORE, name).capacity() == 3);
        lease.release();
    }

    @Test
    void aWaiterIsServedAfterAnOutage() {
        Lease held = semaphore(1, LockOptions.defaults()).acquire();
        CompletableFuture<Lease> waiting =
                semaphore(1, LockOptions.defaults()).acquireAsync().toCompletableFuture();
        awaitWaiting(1);
        site.disconnectAll();
        held.release();
        get(waiting).release();
    }

    @Test
    void aWaiterThatTheServerForgotIsServed() {
        Lease held = semaphore(1, SHORT).acquire();
        CompletableFuture<Lease> waiting = semaphore(1, SHORT).acquireAsync().toCompletableFuture();
        awaitWaiting(1);
        site.flush();
        pass(RENEWED);
        held.release();
        get(waiting);
    }

    @Test
    void aRequestThatBecomesTooLargeFails() {
        LeasedSemaphore semaphore = semaphore(2, SHORT);
        Lease one = semaphore.acquire();
        Lease other = semaphore(2, SHORT).acquire();
        CompletableFuture<Lease> large = semaphore(2, SHORT).acquireAsync(2).toCompletableFuture();
        awaitWaiting(1);
        CompletableFuture<Lease> own = semaphore.acquireAsync(2).toCompletableFuture();
        awaitWaiting(2);
        long start = System.nanoTime();
        semaphore(2, SHORT).resize(1);
        assertThat(failureOf(large)).isInstanceOf(PermitsExceededException.class);
        assertThat(failureOf(own)).isInstanceOf(PermitsExceededException.class);
        assertThat(since(start)).as("before the next poll").isLessThan(Slack.of(Duration.ofMillis(2_500)));
        one.release();
        other.release();
    }

    @Test
    void closingReleasesAllPermitsAndEndsAllWaits() {
        Party closed = party();
        LeasedSemaphore semaphore = closed.client().semaphore(name, 2);
        Lease lease = semaphore.acquire(2);
        CompletableFuture<Lease> waiting = semaphore.acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> behind = semaphore.acquireAsync().toCompletableFuture();
        closed.client().close();
        assertThat(failureOf(waiting)).isInstanceOf(ClientClosedException.class);
        assertThat(failureOf(behind)).isInstanceOf(ClientClosedException.class);
        assertThat(get(lease.whenLost()).reason()).isEqualTo(LeaseLoss.Reason.CLOSED);
        assertThat(semaphore(2, SHORT).tryAcquire(2)).isPresent();
        assertThatThrownBy(semaphore::acquire).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void permitsStayTakenForTheMinHold() throws Exception {
        Duration min = millis(600);
        long start = System.nanoTime();
        semaphore(1, LockOptions.defaults().withMinHold(min)).acquire().release();
        LeasedSemaphore other = semaphore(1, SHORT);
        assertThat(other.tryAcquire()).isEmpty();
        assertThat(other.tryAcquire(Duration.ofSeconds(10))).isPresent();
        assertThat(since(start)).isGreaterThanOrEqualTo(min);
    }
}
