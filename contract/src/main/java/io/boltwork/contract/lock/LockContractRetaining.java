// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Retained locks: kept by their last client until another one wants them. */
abstract class LockContractRetaining extends ContractPart {

    private static final Duration LEASE = Duration.ofSeconds(6);

    /** Longer than the tests. */
    private static final LockOptions LONG = LockOptions.renewedLease(LEASE).withRetention(Duration.ofMinutes(1));

    /** Shorter than a third of the lease, so that a lock that nothing recalls is not given back because of it. */
    private static final Duration AT_ONCE = millis(1_000);

    LockContractRetaining(LockSite site) {
        super(site);
    }

    /** Returns a client that retains the lock under test. */
    private Party retaining(LockOptions options) {
        needs(Capability.RETENTION);
        needsLockOfItsOwn();
        Party party = party();
        use(party, options);
        assertThat(isFree(name)).as("the lock is given back").isFalse();
        return party;
    }

    private long use(Party party, LockOptions options) {
        try (Lease lease = party.lock(name, options).acquire()) {
            return lease.fencingToken();
        }
    }

    private static long requests(Party party) {
        return party.backend()
                .requests(command -> command instanceof Command.Acquire || command instanceof Command.Release);
    }

    @Test
    void retentionIsRefusedIfTheBackendHasNone() {
        party().backend()
                .refusal(Capability.RETENTION)
                .ifPresent(reason -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> party().lock(name, LONG).lock())
                        .withMessageContaining("retention must be absent")
                        .withMessageContaining(reason));
    }

    @Test
    void aReleasedLockIsTakenAgainWithoutARequest() {
        Party party = retaining(LONG);
        pass(Duration.ofMillis(5)); // the server's clock reaches the tokens that are taken
        long before = requests(party);
        long token = 0;
        for (int i = 0; i < 100; i++) {
            long next = use(party, LONG);
            assertThat(next).isGreaterThan(token);
            token = next;
        }
        assertThat(requests(party)).isEqualTo(before);
    }

    @Test
    void anotherClientGetsARetainedLockAtOnce() {
        Party party = retaining(LONG);
        long token = use(party, LONG);
        long begun = System.nanoTime();
        assertThat(use(party(), LockOptions.defaults())).isGreaterThan(token);
        assertThat(since(begun)).isLessThan(AT_ONCE);
    }

    @Test
    void twoClientsThatRetainTheLockTakeTurns() {
        Party one = retaining(LONG);
        Party other = party();
        long token = 0;
        for (int i = 0; i < 20; i++) {
            long begun = System.nanoTime();
            long next = use(i % 2 == 0 ? other : one, LONG);
            assertThat(next).isGreaterThan(token);
            assertThat(since(begun)).isLessThan(AT_ONCE);
            token = next;
        }
    }

    @Test
    void aLockInUseIsGivenBackWhenItIsReleased() {
        Party party = retaining(LONG);
        Lease lease = party.lock(name, LONG).acquire();
        Task<Long> visitor = visitor(newLock());
        awaitQueued(1);
        assertThat(lease.isValid()).isTrue();
        assertThat(visitor.isDone()).isFalse();
        long released = System.nanoTime();
        lease.release();
        assertThat(Duration.ofNanos(visitor.get() - released)).isLessThan(AT_ONCE);
    }

    @Test
    void aTryOfAnotherClientGetsARetainedLock() throws InterruptedException {
        retaining(LONG);
        FencedLock other = newLock();
        // a try waits for 20 ms only, which the answer may take on a busy machine; then a second one finds the lock
        // free
        assertThat(other.tryLock() || other.tryLock(AT_ONCE.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        other.unlock();
    }

    @Test
    void aTryOfAnotherClientIsRefusedWhileTheLockIsInUse() {
        Party party = retaining(LONG);
        Lease lease = party.lock(name, LONG).acquire();
        FencedLock other = newLock();
        assertThat(other.tryLock()).isFalse();
        Await.until("the try has left the queue", () -> inspect().queue().isEmpty());
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aLostRecallCostsAThirdOfALease() {
        Party party = retaining(LONG);
        party.backend().holdBackGrants();
        long begun = System.nanoTime();
        Task<Long> visitor = visitor(newLock());
        Duration waited = Duration.ofNanos(visitor.get() - begun);
        assertThat(waited).isLessThan(LEASE.dividedBy(2).plus(TOLERANCE));
    }

    @Test
    void anUnusedLockIsGivenBack() {
        Duration idle = millis(1_000);
        LockOptions options = LockOptions.renewedLease(LEASE).withRetention(idle);
        long begun = System.nanoTime();
        retaining(options);
        awaitFree();
        assertThat(since(begun)).isBetween(idle, idle.plus(TOLERANCE));
    }

    @Test
    void aCrashOfTheClientCostsItsLease() {
        LockOptions options = LockOptions.renewedLease(Duration.ofSeconds(1)).withRetention(Duration.ofMinutes(1));
        Party party = retaining(options);
        party.kill();
        long begun = System.nanoTime();
        use(party(), LockOptions.defaults());
        assertThat(since(begun)).isLessThan(Duration.ofSeconds(1).plus(TOLERANCE));
    }

    @Test
    void closingGivesARetainedLockBack() {
        Party party = retaining(LONG);
        party.client().close();
        assertThat(isFree(name)).isTrue();
    }

    @Test
    void aForcedReleaseEndsTheRetention() {
        Party party = retaining(LONG);
        long before = use(party, LONG);
        Party operator = party();
        assertThat(operator.client().inspector().forceRelease(name)).isTrue();
        Await.until("the lock is not retained any more", () -> requests(party) > 1);
        long asked = requests(party);
        assertThat(use(party, LONG)).isGreaterThan(before);
        assertThat(requests(party)).isGreaterThan(asked);
    }

    /** A hold in use is restored after a loss of data. A lock that nothing uses may go to another client. */
    @Test
    void aRetainedLockIsNotRestoredAfterALossOfData() {
        Party party = retaining(LONG);
        site.flush();
        FencedLock other = newLock();
        assertThat(other.tryLock()).isTrue();
        Await.until("the renewal finds another owner", () -> requests(party) > 1);
        assertThat(other.isHeldByCurrentThread()).isTrue();
        assertThat(other.currentLease().orElseThrow().isValid()).isTrue();
        other.unlock();
    }

    @Test
    void theInspectorTellsThatALockMayBeRetained() {
        Party party = retaining(LONG);
        assumeTrue(site.hasQueue());
        assertThat(party.client().inspector().describe(name).holders().get(0).mayBeRetained())
                .isTrue();
        use(party(), LockOptions.defaults());
        Lease lease = party().lock(name).acquire();
        assertThat(party.client().inspector().describe(name).holders().get(0).mayBeRetained())
                .isFalse();
        lease.release();
    }
}
