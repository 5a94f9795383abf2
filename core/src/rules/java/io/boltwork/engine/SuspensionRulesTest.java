// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for a suspended machine, whose monotonic clock stands still while leases run on. */
class SuspensionRulesTest extends EngineScene {

    private void suspend(long millis) {
        client.suspend(millis * MILLI);
    }

    /** Lets time pass until the next check of the clocks. */
    private void notice() {
        pass(1_000);
    }

    private static boolean isUnverified(Lease lease) {
        return !lease.isValid() && holdOf(lease).loss() == null;
    }

    // ---- noticing

    @Test
    void aHoldThatMayHaveEndedIsNeitherValidNorLost() {
        Lease lease = acquire(TEN);
        CompletableFuture<LeaseLoss> lost = lease.whenLost().toCompletableFuture();
        suspend(10_000);
        isSilent();
        notice();
        assertThat(isUnverified(lease)).isTrue();
        assertThat(lease.remaining()).isZero();
        assertThat(lost).isNotDone();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        unknown -> assertThat(unknown.isRetryable()).isTrue());
    }

    @Test
    void aThreadDoesNotHoldALockThatMayHaveEnded() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        suspend(10_000);
        isSilent();
        notice();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    void aHoldWithTimeLeftStaysValidUntilItsEnd() {
        Lease lease = acquire(TEN);
        suspend(7_000);
        isSilent();
        notice();
        assertThat(lease.isValid()).isTrue();
        pass(1_800); // 7 s of 9.898 s were missed
        assertThat(lease.isValid()).isTrue();
        pass(200);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aSuspensionOfASecondIsNotNoticed() {
        Lease lease = acquire(TEN);
        forget();
        suspend(1_000);
        notice();
        assertThat(sent(Command.Renew.class)).isEmpty();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void suspensionsAddUp() {
        Lease lease = acquire(TEN);
        isSilent();
        suspend(4_000);
        notice();
        assertThat(lease.isValid()).isTrue();
        suspend(4_500);
        notice();
        assertThat(isUnverified(lease)).isTrue();
    }

    @Test
    void aServerClockThatRanAheadIsNoticedAtOnce() {
        Lease lease = acquire(TEN);
        isSilentAbout(Command.Renew.class);
        client.server.advance(Duration.ofSeconds(10)); // the wall clock is not checked meanwhile
        new EngineLock(client.engine, "other", TEN).isLocked(); // inspections do not reveal it
        assertThat(lease.isValid()).isTrue();
        assertThat(new EngineLock(client.engine, "other", TEN).tryLock()).isTrue();
        assertThat(isUnverified(lease)).isTrue();
    }

    @Test
    void aSuspensionShownByTwoClocksCountsOnce() {
        Lease lease = acquire(TEN);
        suspend(5_000);
        isSilentAbout(Command.Renew.class);
        assertThat(new EngineLock(client.engine, "other", TEN).tryLock()).isTrue();
        notice();
        assertThat(client.engine.core.suspensionDetector.total()).isEqualTo(5_000 * MILLI);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void theWallClockAddsWhatAServerDidNotShow() {
        Lease lease = acquire(TEN);
        isSilent();
        suspend(10_000);
        client.engine.core.suspensionDetector.notice(9_500 * MILLI); // by an answer that was delayed
        assertThat(lease.isValid()).isTrue();
        notice();
        assertThat(client.engine.core.suspensionDetector.total()).isEqualTo(10_000 * MILLI);
        assertThat(isUnverified(lease)).isTrue();
    }

    @Test
    void aNewConnectionShowsASuspension() {
        Lease lease = acquire(TEN);
        isSilent();
        suspend(10_000);
        client.engine.backendWatch.connected(new ServerTime(client.server.time().millis(), "another run"));
        assertThat(isUnverified(lease)).isTrue();
    }

    @Test
    void aSlowAnswerIsNotASuspension() {
        acquire(TEN);
        client.delay = 1_500 * MILLI;
        client.schedule(() -> client.delay = 0, 20_000 * MILLI);
        pass(40_000);
        assertThat(client.engine.core.suspensionDetector.total()).isZero();
    }

    // ---- answers of the server

    @Test
    void aConfirmationMakesTheHoldValidAgain() {
        Lease lease = acquire(TEN);
        client.setWall(10_000 * MILLI); // the clock was only set: the server still has the lease
        List<Command<?>> before = List.copyOf(sent);
        notice();
        assertThat(lease.isValid()).isTrue();
        assertThat(sent).hasSizeGreaterThan(before.size());
        assertThat(holdOf(lease).request.missedTime()).isNull();
        pass(30_000);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aFixedLeaseIsVerifiedTooAndEndsInTime() {
        Lease lease = acquire(FIXED);
        suspend(3_000);
        notice();
        assertThat(lease.isValid()).isTrue();
        assertThat(holdOf(lease).request.missedTime()).isNull();
    }

    @Test
    void aLeaseThatAnotherOwnerTookMeanwhileIsLost() {
        Lease lease = acquire(TEN);
        suspend(11_000);
        holdElsewhere(60_000);
        notice();
        assertThat(holdOf(lease).lossOf().reason()).isEqualTo(Reason.TAKEN);
    }

    @Test
    void aLeaseThatEndedMeanwhileIsNotRestored() {
        Lease lease = acquire(TEN);
        suspend(11_000);
        client.server.flush();
        notice();
        assertThat(holdOf(lease).lossOf().reason()).isEqualTo(Reason.EXPIRED);
        assertThat(sent(Command.Restore.class)).isEmpty();
    }

    @Test
    void aLeaseThatRunsOnIsRestored() {
        Lease lease = acquire(TWENTY);
        suspend(11_000);
        client.server.flush();
        notice();
        assertThat(lease.isValid()).isTrue();
        assertThat(sent(Command.Restore.class)).hasSize(1);
    }

    @Test
    void aClaimThatLapsedMeanwhileHasExpired() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(FIFO);
        client.setWall(5_000 * MILLI); // the machine is suspended until the grant arrives
        freeElsewhere();
        isSilentAbout(Command.Renew.class);
        Lease lease = granted(wish);
        client.server.advance(Duration.ofSeconds(5));
        client.server.execute(new Command.Withdraw("lock", null, 0));
        answersAgain();
        notice();
        assertThat(holdOf(lease).lossOf().reason()).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void anAbandonedHoldEndsEarlierByTheTimeMissed() throws InterruptedException {
        inThread("the owner", () -> client.lock(TWENTY).lock());
        pass(7_000); // the renewer notices that the thread has ended
        suspend(5_000);
        notice();
        Request request = Objects.requireNonNull(machine().hold()).request;
        assertThat(request.missedTime()).isNull();
        assertThat(request.deadline()).isBetween(client.now() + 6_000 * MILLI, client.now() + 7_000 * MILLI);
    }

    @Test
    void aHoldIsLostWithoutAnAnswerInTheCommandTimeout() {
        Lease lease = acquire(TEN);
        CompletableFuture<LeaseLoss> lost = lease.whenLost().toCompletableFuture();
        suspend(10_000);
        isSilent();
        notice();
        pass(1_990);
        assertThat(lost).isNotDone();
        pass(20);
        assertThat(lost).isCompletedWithValueMatching(loss -> loss.reason() == Reason.EXPIRED);
    }

    @Test
    void aHoldWithTimeLeftLastsToItsEndWithoutAnAnswer() {
        Lease lease = acquire(TWENTY);
        suspend(10_000);
        isSilent();
        notice();
        pass(5_000);
        assertThat(lease.isValid()).isTrue();
        pass(5_000);
        assertThat(holdOf(lease).lossOf().reason()).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void anAnswerToAnEarlierCommandDoesNotConfirmTheHold() {
        Lease lease = acquire(TEN);
        isSilentAbout(Command.Renew.class);
        pass(3_000);
        Command.Renew before = sent(Command.Renew.class).get(0);
        Reply late = client.execute(before);
        long sentAt = now();
        pass(1);
        suspend(12_000);
        notice();
        assertThat(isUnverified(lease)).isTrue();
        happens(machine -> machine.renewed(
                before.items().get(0),
                sentAt * MILLI,
                ((Reply.Renewed) late).items().get(0)));
        assertThat(isUnverified(lease)).isTrue();
    }

    @Test
    void allHoldsAreVerifiedTogether() {
        for (int i = 0; i < 90; i++) {
            kept(new EngineLock(client.engine, "lock " + i, TEN).acquire());
        }
        forget();
        client.setWall(5_000 * MILLI);
        notice();
        assertThat(sent(Command.Renew.class)).hasSize(1);
    }

    // ---- grants

    @Test
    void anAcquireUnderWayCountsTheSuspension() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        Command.Acquire acquire = sent(Command.Acquire.class).get(0);
        Reply answer = client.execute(acquire);
        pass(500);
        suspend(12_000);
        notice();
        answered(acquire, 0, answer);
        assertThat(wish).isNotDone();
        answersAgain();
        pass(5_000);
        assertThat(granted(wish).isValid()).isTrue();
    }

    @Test
    void aGrantByMessageCountsTheSuspension() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        pass(10);
        suspend(5_000);
        notice();
        isSilent();
        client.engine.backendWatch.granted(new Grant(
                "lock", "c:1", time().millis() * 1_000, 3_000, new ServerTime(time().millis() - 4_000, time().run())));
        assertThat(wish).isNotDone();
    }

    // ---- other events meanwhile

    @Test
    void aNestedAcquireWaitsForTheAnswer() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        client.setWall(20_000 * MILLI);
        client.delay = 200 * MILLI;
        notice();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(2);
    }

    @Test
    void aNestedAcquireOfALostHoldThrowsTheLoss() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        suspend(20_000);
        holdElsewhere(60_000);
        client.delay = 200 * MILLI;
        notice();
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anUnverifiedHoldIsNotHandedOver() {
        Lease lease = acquire(TEN);
        CompletableFuture<Lease> next = wish(TEN);
        isSilent();
        suspend(10_000);
        client.engine.core.suspensionDetector.checkClock();
        lease.releaseAsync();
        assertThat(next).isNotDone();
    }

    @Test
    void aWallClockSetBackChangesNothing() {
        Lease lease = acquire(TEN);
        forget();
        client.setWall(-60_000 * MILLI);
        notice();
        assertThat(sent(Command.Renew.class)).isEmpty();
        assertThat(lease.isValid()).isTrue();
    }
}
