// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.drive.RetainedLocks;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for locks that a client retains. The lease is 9 s, and unused locks are retained for 2 s. */
class RetainingRulesTest extends EngineScene {

    private static final Duration IDLE = Duration.ofSeconds(2);
    private static final LockOptions RETAINED =
            LockOptions.renewedLease(Duration.ofSeconds(9)).withRetention(IDLE);

    private static final LockOptions LONG = RETAINED.withRetention(Duration.ofMinutes(1));

    /** The lease that the client retains now, which is no longer held. */
    private Lease retained() {
        Lease lease = acquire(RETAINED);
        pass(1); // the server's clock has reached all tokens of its block
        pass(1);
        lease.release();
        assertThat(sent(Command.Release.class)).isEmpty();
        assertThat(client.isFree()).isFalse();
        forget();
        return lease;
    }

    private void wanted(long token) {
        client.engine.backendWatch.told(new LockWanted("lock", "c:-1", token, time()));
    }

    /** Another client waits for the lock, and its message has arrived. */
    private void recall() {
        client.server.subscribe("other", grant -> {});
        client.server.execute(new Command.Acquire("lock", "other:1", true, 9_000, 0, Long.MAX_VALUE));
    }

    private Reply.Renewed renewed(Renewal outcome) {
        return new Reply.Renewed(time(), List.of(new Reply.Renewed.Item(outcome, "c:-1")));
    }

    // ---- keeping and taking

    @Test
    void aReleasedLockIsTakenAgainWithoutTheBackend() {
        long token = retained().fencingToken();
        for (int i = 1; i <= 100; i++) {
            Lease lease = acquire(RETAINED);
            assertThat(lease.fencingToken()).isEqualTo(token + i);
            assertThat(lease.isValid()).isTrue();
            lease.release();
        }
        assertThat(sent).isEmpty();
    }

    @Test
    void aLockWithoutRetentionIsReleased() {
        acquire(TEN).release();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aTryTakesTheRetainedLock() {
        retained();
        assertThat(client.lock(RETAINED).tryLock()).isTrue();
        assertThat(sent).isEmpty();
    }

    @Test
    void aRetainedLockIsNotHeldHere() {
        retained();
        FencedLock lock = client.lock(RETAINED);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(client.engine.drivers.hold("lock")).isNull();
        assertThat(lock.isLocked()).as("by any client").isTrue();
    }

    @Test
    void aRetainedLockIsRenewed() {
        acquire(LONG).release();
        forget();
        pass(20_000);
        assertThat(sent(Command.Renew.class)).hasSizeBetween(5, 8);
        acquire(LONG).release();
        assertThat(sent(Command.Acquire.class)).isEmpty();
        assertThat(sent(Command.Release.class)).isEmpty();
    }

    @Test
    void aWaiterWithOtherOptionsReleasesIt() {
        retained();
        acquire(TEN);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(sent(Command.Release.class).get(0).next()).isNotNull();
        assertThat(sent(Command.Acquire.class))
                .as("no request beside the retained one")
                .isEmpty();
    }

    @Test
    void aBlockThatIsUsedUpIsReplacedInOneStep() {
        retained();
        for (int i = 1; i < LockBackend.TOKENS_PER_HOLD; i++) {
            acquire(RETAINED).release();
        }
        assertThat(sent).isEmpty();
        long last = look().token() + LockBackend.TOKENS_PER_HOLD - 1;
        assertThat(acquire(RETAINED).fencingToken()).isGreaterThan(last);
        assertThat(sent).hasSize(1);
        assertThat(sent(Command.Release.class).get(0).lastToken()).isEqualTo(last);
    }

    /** Tokens ahead of the server's clock would be above those of a later hold after a data loss. */
    @Test
    void noTokenIsUsedBeforeTheServersClockHasReachedIt() {
        acquire(RETAINED).release();
        int taken = 1;
        while (sent(Command.Release.class).isEmpty()) {
            acquire(RETAINED).release();
            taken++;
        }
        assertThat(taken).isLessThanOrEqualTo(1_001);
        Command.Release first = sent(Command.Release.class).get(0);
        assertThat(first.lastToken() / 1_000).isEqualTo(time().millis());
    }

    @Test
    void aLeaseWithLessThanHalfOfItsTimeIsReplaced() {
        acquire(LONG).release();
        stall(4_600); // the renewal is late
        assertThat(sent(Command.Release.class)).isEmpty();
        acquire(LONG);
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    // ---- giving back

    @Test
    void anotherClientThatWantsTheLockGetsItAtOnce() {
        retained();
        recall();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(look().owner()).isEqualTo("other:1");
    }

    @Test
    void aLockInUseIsGivenBackAtItsRelease() {
        retained();
        Lease lease = acquire(RETAINED);
        recall();
        assertThat(sent).isEmpty();
        assertThat(lease.isValid()).isTrue();
        lease.release();
        assertThat(look().owner()).isEqualTo("other:1");
    }

    @Test
    void aRecallThatCameBeforeTheGrantCounts() {
        wanted(0); // it is unknown here
        isSilentAbout(Command.Acquire.class);
        CompletableFuture<Lease> wish = wish(RETAINED);
        long token = client.server.time().millis() * 1_000;
        wanted(token + 10);
        Command.Acquire acquire = sent(Command.Acquire.class).get(0);
        answersAgain();
        answered(acquire, now(), client.execute(acquire));
        assertThat(granted(wish).fencingToken()).isLessThanOrEqualTo(token + 10);
        granted(wish).release();
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    @Test
    void aLateRecallOfAnEarlierHoldIsIgnored() {
        Lease lease = retained();
        wanted(lease.fencingToken() - 1);
        assertThat(sent).isEmpty();
        assertThat(client.isFree()).isFalse();
    }

    @Test
    void anUnusedLockIsReleased() {
        retained();
        pass(1_990);
        acquire(RETAINED).release();
        pass(1_990);
        assertThat(sent(Command.Release.class)).isEmpty();
        pass(11);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void afterARecallTheLockIsNotRetainedForATime() {
        retained();
        recall();
        client.server.execute(new Command.Withdraw("lock", "other:1", 0));
        forget();
        acquire(RETAINED).release();
        assertThat(asked()).containsExactly("c:2");
        assertThat(sent(Command.Release.class)).hasSize(1);
        pass(IDLE.toMillis());
        acquire(RETAINED).release();
        assertThat(asked()).containsExactly("c:2", "c:-3");
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    /** Recalls the retained lock, and checks for how long the client does not retain it. */
    private void recallAndExpectQuiet(long millis) {
        recall();
        client.server.execute(new Command.Withdraw("lock", "other:1", 0));
        expectQuiet(millis);
    }

    private void expectQuiet(long millis) {
        pass(millis - 1);
        forget();
        acquire(RETAINED).release();
        assertThat(asked()).singleElement().asString().doesNotStartWith("c:-");
        pass(1);
        forget();
    }

    @Test
    void aLockThatTwoClientsUseInTurnIsRetainedLessAndLess() {
        for (long quiet : List.of(2_000, 4_000, 8_000, 10_000, 10_000)) {
            retained();
            recallAndExpectQuiet(quiet);
            pass(quiet / 2);
        }
    }

    @Test
    void aLockThatWasTakenAgainBeforeItsRecallIsSoonRetainedAgain() {
        retained();
        recallAndExpectQuiet(2_000);
        retained();
        acquire(RETAINED).release();
        recallAndExpectQuiet(2_000);
        retained();
        recallAndExpectQuiet(4_000);
    }

    @Test
    void aRecallThatIsRepeatedCountsOnce() {
        Lease lease = acquire(RETAINED);
        wanted(lease.fencingToken());
        wanted(lease.fencingToken());
        lease.release();
        expectQuiet(2_000);
        retained();
    }

    @Test
    void aRenewalThatFindsOthersWaitingIsARecall() {
        Lease lease = retained();
        answers(Command.Renew.class, renewed(Renewal.WANTED));
        pass(3_000 - 1_900); // the renewal comes before the lock has been unused for long
        acquire(RETAINED).release();
        pass(1_900);
        assertThat(sent(Command.Renew.class)).isNotEmpty();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(sent(Command.Release.class).get(0).firstToken()).isEqualTo(lease.fencingToken());
    }

    @Test
    void aRenewalOfALockInUseIsARecallToo() {
        retained();
        Lease lease = acquire(RETAINED);
        answers(Command.Renew.class, renewed(Renewal.WANTED));
        pass(3_500);
        assertThat(sent(Command.Renew.class)).isNotEmpty();
        assertThat(lease.isValid()).isTrue();
        lease.release();
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    @Test
    void closingReleasesARetainedLock() {
        acquire(LONG).release();
        client.engine.close();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aSuspensionOfTheMachineReleasesARetainedLock() {
        retained();
        happens(machine -> machine.suspended(1_000_000_000));
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    @Test
    void aForcedReleaseEndsTheRetention() {
        retained();
        client.server.execute(new ForceRelease("lock", 0));
        forget();
        assertThat(client.lock(RETAINED).tryLock()).isTrue();
        assertThat(asked()).containsExactly("c:-2");
    }

    // ---- losses

    @Test
    void aForgottenLeaseIsNotRestored() {
        retained();
        client.freeElsewhereUnheard();
        pass(1_900);
        acquire(RETAINED).release();
        pass(1_500);
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(sent(Command.Restore.class)).isEmpty();
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(client.isFree()).isTrue();
        assertThat(client.engine.health().retainedLost()).isEqualTo(1);
    }

    @Test
    void healthTellsHeldLocksFromRetainedOnes() {
        retained();
        assertThat(client.engine.health().retained()).isEqualTo(1);
        assertThat(client.engine.health().held()).isZero();
        Lease lease = acquire(RETAINED);
        assertThat(client.engine.health().retained()).isZero();
        assertThat(client.engine.health().held()).isEqualTo(1);
        lease.release();
        assertThat(client.engine.health().retainedLost()).isZero();
    }

    @Test
    void aLostLeaseIsGivenUpWithoutALoss() {
        Lease lease = retained();
        answers(Command.Renew.class, renewed(Renewal.LOST));
        pass(1_900);
        acquire(RETAINED).release();
        pass(1_500);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(lease.whenLost().toCompletableFuture()).isNotDone();
    }

    @Test
    void aHoldThatIsBeingRestoredIsNotRetained() {
        Lease lease = acquire(RETAINED);
        client.freeElsewhereUnheard();
        answers(command -> command instanceof Command.Restore ? null : client.execute(command));
        pass(3_500);
        assertThat(sent(Command.Restore.class)).isNotEmpty();
        lease.release();
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    // ---- very many

    private void use(int number) {
        new EngineLock(client.engine, "lock " + number, LONG).acquire().release();
    }

    private boolean isRetained(int number) {
        return client.engine.drivers.driver("lock " + number).machine.isLeased();
    }

    @Test
    void aClientGivesLocksBackThatWereNotUsedLately() {
        answers(client::execute);
        for (int i = 0; i < RetainedLocks.MOST; i++) {
            use(i);
            stall(1);
        }
        use(0);
        use(RetainedLocks.MOST);
        assertThat(isRetained(0)).as("it was used").isTrue();
        assertThat(isRetained(1)).isFalse();
        assertThat(isRetained(2)).isTrue();
        for (int i = 1; i <= RetainedLocks.MOST; i++) {
            use(RetainedLocks.MOST + i);
            stall(1);
        }
        assertThat(isRetained(0)).as("it was not used again").isFalse();
    }

    // ---- what is refused

    @Test
    void whatCannotBeRetainedIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EngineReadWriteLock(client.engine, "lock", RETAINED))
                .withMessage("retention must be absent for a read-write lock: only plain locks are retained");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EngineSemaphore(client.engine, "lock", 2, RETAINED))
                .withMessage("retention must be absent for a semaphore: only plain locks are retained");
    }

    @Test
    void aHoldWithALeaseOfItsOwnIsNotRetained() {
        FencedLock lock = client.lock(RETAINED);
        lock.lock(Duration.ofSeconds(5));
        lock.unlock();
        assertThat(asked()).containsExactly("c:1");
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    @Test
    void anExtendedLeaseIsNotRetained() {
        Lease lease = acquire(RETAINED);
        lease.extend(Duration.ofHours(1));
        lease.release();
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    // ---- tries of other clients

    @Test
    void aTryWaitsForARetainedLockAndIsThenRefused() {
        client.server.execute(new Command.Acquire("lock", "other:-1", true, 60_000, 0, Long.MAX_VALUE));
        long begun = now();
        assertThat(client.lock(TEN).tryLock()).isFalse();
        assertThat(now() - begun).isEqualTo(20);
        assertThat(withdrawn()).containsExactly("c:1");
        assertThat(look().queue()).isEmpty();
    }

    @Test
    void aTryGetsTheLockThatIsGivenBackInTime() {
        client.server.execute(new Command.Acquire("lock", "other:-1", true, 60_000, 0, Long.MAX_VALUE));
        client.schedule(() -> client.server.execute(new Command.Withdraw("lock", "other:-1", 0)), 19 * MILLI);
        assertThat(client.lock(TEN).tryLock()).isTrue();
    }
}
