// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LeaseLoss;
import io.boltwork.LockOptions;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.parts.Asking;
import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.request.Request.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LeaseTimes;
import io.boltwork.spi.rules.ServerClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The times of a request, here in milliseconds. Its lease is one second unless stated otherwise. */
class RequestTest {

    private static final long TIMEOUT = ms(2_000);
    private static final long SLICE = ms(10);
    private static final LockOptions SECOND = LockOptions.renewedLease(Duration.ofSeconds(1));
    private static final LockOptions TEN_SECONDS = LockOptions.renewedLease(Duration.ofSeconds(10));
    private static final LockOptions FIXED = LockOptions.fixedLease(Duration.ofSeconds(10));

    private final StillContext context = new StillContext();
    private final ServerClock clock = new ServerClock("run");

    private static long ms(long millis) {
        return millis * 1_000_000;
    }

    private Request wanted(LockOptions options) {
        return Request.of(context, 1, Waiter.ofHandle(LockTerms.of(options), false), 0);
    }

    /** Returns a request that is held since 0 for the whole lease. */
    private Request held(LockOptions options) {
        Request request = wanted(options);
        request.startHold(LeaseTimes.safe(LockTerms.of(options).leaseMillis, 0), 7_000, true, 0);
        request.occupied(0);
        return request;
    }

    /** Returns a request that was granted by message, so for three seconds at most. */
    private Request claimed(LockOptions options) {
        Request request = wanted(options);
        request.startHold(ms(3_000), 7_000, false, 0);
        request.occupied(0);
        return request;
    }

    @Test
    void aHundredthAndTwoMillisecondsOfALeaseDoNotCount() {
        assertThat(LeaseTimes.safe(1_000, 0)).isEqualTo(ms(988));
        assertThat(LeaseTimes.safe(1_000, ms(500)))
                .as("1 % of the elapsed time does not count either")
                .isEqualTo(ms(983));
        assertThat(LeaseTimes.safe(1_000, -ms(500))).isEqualTo(ms(988));
        for (long nanos : new long[] {0, 1, ms(1), ms(98), ms(98) + 1, ms(999), ms(123_456) + 789}) {
            long least = LeaseTimes.covering(nanos);
            assertThat(LeaseTimes.safe(least, 0)).isGreaterThanOrEqualTo(nanos);
            assertThat(LeaseTimes.safe(least - 2, 0)).isLessThan(nanos);
        }
    }

    @Test
    void anAnswerIsAwaitedForTheCommandTimeout() {
        Request request = wanted(SECOND);
        assertThat(request.isOverdue(ms(9_999), TIMEOUT)).as("nothing was sent").isFalse();
        Command.Acquire acquire = Asking.acquire(request, clock, ms(100), TIMEOUT);
        request.pending().dueAt = ms(50);
        request.sent(acquire, ms(100));
        assertThat(request.pending().dueAt).isEqualTo(Ticker.NEVER);
        assertThat(request.isDue(ms(100))).isFalse();
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(2_100));
        assertThat(request.isOverdue(ms(2_100) - 1, TIMEOUT)).isFalse();
        assertThat(request.isOverdue(ms(2_100), TIMEOUT)).isTrue();
        assertThat(request.answeredTo(new Query.Inspect("lock"))).isFalse();
        assertThat(request.answeredTo(acquire)).isTrue();
        assertThat(request.answeredTo(acquire)).isFalse();
        request.pending().dueAt = ms(300);
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(300));
        assertThat(request.isDue(ms(300) - 1)).isFalse();
        assertThat(request.isDue(ms(300))).isTrue();
    }

    @Test
    void aTryHasOneCommandTimeoutInAll() {
        Request request = Request.of(new StillContext(), 1, Waiter.ofHandle(LockTerms.of(SECOND), true), ms(100));
        request.sent(Asking.acquire(request, clock, ms(1_000), TIMEOUT), ms(1_000));
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(2_100));
        request.state = State.WITHDRAWING;
        assertThat(request.wakeAt(TIMEOUT))
                .as("its withdrawal has a timeout of its own")
                .isEqualTo(ms(3_000));
    }

    @Test
    void aCommandMustNotTakeEffectAfterItsTimeoutOrItsLease() {
        clock.read(50_000, ms(100), 0);
        Request request = wanted(SECOND);
        Command.Acquire acquire = Asking.acquire(request, clock, ms(300), TIMEOUT);
        assertThat(acquire.notAfter()).isEqualTo(51_200);
        assertThat(Asking.acquire(wanted(FIXED), clock, ms(300), TIMEOUT).notAfter())
                .isEqualTo(52_200);
        assertThat(request.isTainted(new ServerTime(51_200, "run"), 0)).isTrue();
        assertThat(request.isTainted(new ServerTime(51_201, "run"), 0)).isFalse();
        assertThat(request.isTainted(new ServerTime(99_999, "other"), ms(1_300)))
                .as("estimated at another server by the client's clock")
                .isTrue();
        assertThat(request.isTainted(new ServerTime(0, "other"), ms(1_300) + 1)).isFalse();
        clock.read(40_000, ms(300), 0); // set back
        Asking.acquire(request, clock, ms(300), TIMEOUT);
        assertThat(request.isTainted(new ServerTime(51_200, "run"), 0))
                .as("the latest not-after counts")
                .isTrue();
        request.pending().unanswered = 0;
        assertThat(request.isTainted(new ServerTime(51_200, "run"), 0)).isFalse();
        ServerClock another = new ServerClock("new");
        another.read(30_000, ms(300), 0);
        Asking.acquire(request, another, ms(300), TIMEOUT);
        assertThat(request.staleIn(new ServerTime(30_400, "new"), 0))
                .as("the not-after of the new server")
                .isEqualTo(ms(600));
    }

    @Test
    void nothingIsLeftWhenAllThatWasSentHasEnded() {
        Request request = wanted(SECOND.withTakeoverDelay(Duration.ofMillis(300)));
        assertThat(request.nothingLeft(ms(5_000), TIMEOUT)).isEqualTo(ms(8_000));
        Asking.acquire(request, clock, ms(4_900), TIMEOUT);
        assertThat(request.nothingLeft(ms(5_000), TIMEOUT)).isEqualTo(ms(8_200));
        Renewing.extension(request, ms(5_000), 60_000);
        Renewing.verification(request);
        assertThat(request.nothingLeft(ms(5_000), TIMEOUT)).isEqualTo(ms(67_300));
        assertThat(request.closedUntil).isEqualTo(ms(65_300));
    }

    /** Returns a renewal that is sent at once and answered individually. */
    private static Command.Renew.Item renewal(Request request, long now) {
        Command.Renew.Item item = Renewing.renewal(request, now);
        RenewalClock.begun(request, now, false);
        return item;
    }

    @Test
    void aRenewedLeaseIsDueAtAThirdAndRepeatedAfterANinth() {
        Request request = held(TEN_SECONDS);
        long third = LeaseTimes.safe(10_000, 0) - ms(10_000) + ms(10_000) * 2 / 9; // or up to a ninth later
        assertThat(RenewalClock.isRenewalDue(request, third - 1, TIMEOUT)).isFalse();
        assertThat(RenewalClock.isRenewalDue(request, third, TIMEOUT)).isTrue();
        assertThat(request.wakeAt(TIMEOUT)).as("the renewer visits the lock").isEqualTo(Ticker.NEVER);
        assertThat(renewal(request, third).leaseMillis()).isEqualTo(10_000);
        long again = third + ms(10_000) / 9;
        assertThat(RenewalClock.isRenewalDue(request, again - 1, TIMEOUT)).isFalse();
        assertThat(RenewalClock.isRenewalDue(request, again, TIMEOUT)).isTrue();
        assertThat(RenewalClock.isRenewalDue(request, third + ms(200), ms(200)))
                .as("or after the timeout")
                .isTrue();
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(Ticker.NEVER);
        renewal(request, again);
        assertThat(request.wakeAt(TIMEOUT)).as("after two unanswered renewals").isEqualTo(request.deadline());
        RenewalClock.prolonged(request, again, 10_000);
        assertThat(request.deadline()).isEqualTo(again + LeaseTimes.safe(10_000, 0));
        assertThat(request.renewAt).isEqualTo(again + ms(10_000) * 5 / 18);
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(Ticker.NEVER);
        RenewalClock.prolonged(request, ms(1), 10_000);
        assertThat(request.deadline()).as("after an older answer").isEqualTo(again + LeaseTimes.safe(10_000, 0));
    }

    @Test
    void aTacitSuccessCountsFromItsStartAndIsNotForgotten() {
        Request request = held(TEN_SECONDS);
        assertThat(RenewalClock.mayBeTacit(request, Renewing.renewal(request, ms(3_000))))
                .isTrue();
        RenewalClock.begun(request, ms(3_000), true);
        assertThat(RenewalClock.mayBeTacit(request, Renewing.renewal(request, ms(3_000))))
                .as("two successes in turn")
                .isFalse();
        assertThat(request.deadline()).isEqualTo(LeaseTimes.safe(10_000, 0));
        assertThat(RenewalClock.visitAt(request, TIMEOUT)).isEqualTo(ms(3_000) + ms(10_000) * 5 / 18);
        context.renewed().put(ms(3_000), ms(3_001));
        assertThat(request.deadline()).isEqualTo(ms(3_000) + LeaseTimes.safe(10_000, 0));
        RenewalClock.begun(request, ms(3_100), false);
        assertThat(request.deadline())
                .as("after a repetition at that moment")
                .isEqualTo(ms(3_000) + LeaseTimes.safe(10_000, 0));
        assertThat(RenewalClock.visitAt(request, TIMEOUT))
                .as("repeated once more")
                .isEqualTo(ms(3_100) + ms(10_000) / 9);
        RenewalClock.hear(request);
        assertThat(request.renewing).isEqualTo(ms(3_100));
    }

    @Test
    void aTacitSuccessIsNoticed() {
        Request request = held(TEN_SECONDS);
        Renewing.renewal(request, ms(3_000));
        RenewalClock.begun(request, ms(3_000), true);
        RenewalClock.hear(request);
        assertThat(request.renewing).as("no success was noticed").isEqualTo(ms(3_000));
        assertThat(RenewalClock.renewalLag(request, ms(6_000))).isPositive();
        context.renewed().put(ms(3_000), ms(3_001));
        assertThat(RenewalClock.renewalLag(request, ms(6_000))).isZero();
        assertThat(RenewalClock.renewalLag(request, ms(9_000)))
                .isEqualTo(ms(6_000) - ms(10_000) * 5 / 18 - ms(10_000) / 9);
        RenewalClock.hear(request);
        assertThat(request.renewing).isEqualTo(Ticker.NEVER);
        assertThat(request.renewAt).isEqualTo(ms(3_000) + ms(10_000) * 5 / 18);
        assertThat(request.deadline()).isEqualTo(ms(3_000) + LeaseTimes.safe(10_000, 0));
    }

    @Test
    void aTacitSuccessAfterTheDeadlineDoesNotCount() {
        Request request = held(SECOND);
        RenewalClock.begun(request, ms(300), true);
        long deadline = request.deadline();
        context.renewed().put(ms(300), deadline);
        assertThat(request.deadline()).isEqualTo(deadline);
        context.renewed().put(ms(300), deadline - 1);
        assertThat(request.deadline()).isGreaterThan(deadline);
    }

    @Test
    void onlyAHoldWithNothingSpecialIsRenewedTacitly() {
        Request bounded = held(TEN_SECONDS.withMaxHold(Duration.ofSeconds(60)));
        assertThat(RenewalClock.mayBeTacit(bounded, Renewing.renewal(bounded, ms(3_000))))
                .as("a bounded hold")
                .isFalse();
        Request claimed = claimed(TEN_SECONDS);
        assertThat(RenewalClock.mayBeTacit(claimed, Renewing.renewal(claimed, ms(1_000))))
                .as("a claim")
                .isFalse();
        Request extended = held(TEN_SECONDS);
        RenewalClock.lasts(extended, ms(60_000));
        assertThat(RenewalClock.mayBeTacit(extended, Renewing.renewal(extended, ms(3_000))))
                .as("a longer lease")
                .isFalse();
        Request recovered = held(TEN_SECONDS);
        recovered.recovers(new RecoveryTally());
        assertThat(RenewalClock.mayBeTacit(recovered, Renewing.renewal(recovered, ms(3_000))))
                .as("a hold that a recovery counts")
                .isFalse();
    }

    @Test
    void aClaimIsConfirmedAtAThirdOfIt() {
        Request request = claimed(TEN_SECONDS);
        assertThat(request.closedUntil).isEqualTo(ms(3_000));
        assertThat(request.renewAt).isEqualTo(ms(1_000));
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(1_000));
        renewal(request, ms(1_000));
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(1_000) + ms(10_000) / 9);
        assertThat(request.closedUntil).isEqualTo(ms(11_000));
        renewal(request, ms(2_900));
        assertThat(request.wakeAt(TIMEOUT)).as("the end of the claim").isEqualTo(ms(3_000));
        assertThat(claimed(SECOND).renewAt)
                .as("the lease is shorter than the claim")
                .isEqualTo(ms(2_000) + ms(1_000) / 3);
    }

    @Test
    void aShortClaimIsConfirmedAtOnceAndCountedAsShort() {
        Request request = wanted(FIXED);
        request.pending().claimMillis = 300;
        request.startHold(ms(300), 7_000, false, ms(20));
        request.occupied(ms(20));
        assertThat(request.renewAt).isEqualTo(ms(20));
        assertThat(request.closedUntil).isEqualTo(ms(20) + ms(300));
        assertThat(request.bounds.fixedEnd).isEqualTo(ms(LockTerms.of(FIXED).leaseMillis));
    }

    @Test
    void aFixedLeaseEndsAtItsFixedTime() {
        Request request = claimed(FIXED);
        assertThat(renewal(request, ms(1_000)).leaseMillis()).isEqualTo(LeaseTimes.covering(ms(9_000)));
        RenewalClock.prolonged(request, ms(1_000), LeaseTimes.covering(ms(9_000)));
        assertThat(request.wakeAt(TIMEOUT)).as("confirmed and not renewed").isEqualTo(request.deadline());
        RenewalClock.close(request);
        assertThat(RenewalClock.visitAt(request, TIMEOUT))
                .as("but verified")
                .isEqualTo(ms(1_000) + ms(10_000) * 5 / 18);
        assertThat(RenewalClock.isVerification(renewal(request, ms(3_700)))).isTrue();
        RenewalClock.prolonged(request, ms(2_000), 20_000);
        assertThat(request.bounds.fixedEnd).as("extended").isEqualTo(ms(2_000) + LeaseTimes.safe(20_000, 0));
        RenewalClock.prolonged(request, ms(2_000), 100);
        assertThat(request.bounds.fixedEnd).isEqualTo(ms(2_000) + LeaseTimes.safe(20_000, 0));
    }

    @Test
    void aShortExtensionDoesNotReplaceARenewal() {
        Request request = claimed(TEN_SECONDS);
        assertThat(Slice.allowsHandover(request, ms(1), SLICE)).isTrue();
        Renewing.extension(request, ms(500), 50);
        RenewalClock.prolonged(request, ms(500), 50);
        assertThat(request.confirmed).isFalse();
        assertThat(request.renewAt).isEqualTo(ms(1_000));
        assertThat(Slice.allowsHandover(request, ms(1), SLICE))
                .as("an extended hold is not handed over")
                .isFalse();
        Renewing.extension(request, ms(600), 10_000);
        RenewalClock.prolonged(request, ms(600), 10_000);
        assertThat(request.confirmed).isTrue();
        assertThat(request.renewAt).isEqualTo(ms(600) + ms(10_000) * 5 / 18);
    }

    @Test
    void theMaxHoldBoundsTheLease() {
        Request request = held(TEN_SECONDS.withMaxHold(Duration.ofSeconds(4)));
        assertThat(request.deadline()).isEqualTo(ms(4_000));
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(4_000));
        assertThat(request.reasonOfEnd()).isEqualTo(LeaseLoss.Reason.MAX_HOLD);
        assertThat(request.bound(ms(1_500))).isEqualTo(ms(2_500));
        assertThat(RenewalClock.isVerification(renewal(request, ms(1_500))))
                .as("nothing is left to extend")
                .isTrue();
        RenewalClock.verify(request, ms(1_500)); // the server may have forgotten the hold
        assertThat(renewal(request, ms(1_500)).leaseMillis()).isEqualTo(LeaseTimes.covering(ms(2_500)));
        RenewalClock.prolonged(request, ms(1_500), 10_000);
        assertThat(request.deadline()).isEqualTo(ms(4_000));
        assertThat(held(TEN_SECONDS).bound(0)).isEqualTo(Ticker.NEVER);
        assertThat(held(TEN_SECONDS).reasonOfEnd()).isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(renewal(held(SECOND.withMaxHold(Duration.ofSeconds(4))), ms(100))
                        .leaseMillis())
                .as("not yet")
                .isEqualTo(1_000);
    }

    @Test
    void theMinHoldIsKept() {
        Request request = held(SECOND.withMinHold(Duration.ofMillis(990)));
        assertThat(request.keepMillis(ms(400))).isEqualTo(592);
        assertThat(request.keepMillis(ms(990))).isZero();
        assertThat(Slice.allowsHandover(request, 0, SLICE)).isFalse();
    }

    @Test
    void theTakeoverDelayIsKeptWhenTheOwnerHasNotUnwound() {
        LockOptions options = SECOND.withTakeoverDelay(Duration.ofMillis(300));
        Request request = held(options);
        assertThat(request.keepMillis(0)).isZero();
        assertThat(request.closedUntil).isEqualTo(ms(1_300));
        request.quietAfterLease();
        assertThat(request.keepMillis(ms(1_100))).isEqualTo(202);
        request = held(options);
        request.quiet(ms(600));
        request.quietAfterLease();
        assertThat(request.keepMillis(ms(600))).as("set once").isEqualTo(302);
        request = held(SECOND);
        request.quiet(ms(600));
        request.quietAfterLease();
        assertThat(request.keepMillis(ms(600))).as("without a takeover delay").isZero();
    }

    @Test
    void aGrantShorterThanTheMinHoldIsNotEnough() {
        Request request = wanted(SECOND.withMinHold(Duration.ofMillis(500)));
        assertThat(request.suffices(ms(600), ms(100), false)).isTrue();
        assertThat(request.suffices(ms(599), ms(100), true)).isFalse();
        Request fixed = wanted(LockOptions.fixedLease(Duration.ofMillis(500)).withMinHold(Duration.ofMillis(500)));
        assertThat(fixed.suffices(ms(490), 0, true))
                .as("the lease cannot be longer")
                .isTrue();
        assertThat(fixed.suffices(ms(490), 0, false)).isFalse();
        assertThat(wanted(SECOND).suffices(ms(5), ms(5), true))
                .as("a grant that has ended")
                .isFalse();
    }

    @Test
    void aHoldIsHandedOverWithinItsSliceAndTokenBlock() {
        Request request = held(TEN_SECONDS);
        request.lastToken = 7_998;
        assertThat(Slice.allowsHandover(request, ms(10) - 1, SLICE)).isTrue();
        assertThat(Slice.allowsHandover(request, ms(10), SLICE)).isFalse();
        request.lastToken = 7_999;
        assertThat(Slice.allowsHandover(request, 0, SLICE)).isFalse();
        assertThat(Slice.allowsHandover(held(FIXED), 0, SLICE)).isFalse();
        assertThat(Slice.allowsHandover(held(TEN_SECONDS.withFairness(LockOptions.Fairness.FIFO)), 0, SLICE))
                .isFalse();
    }

    @Test
    void eightOwnersMayShareAHoldWithinHalfASecond() {
        Request request = held(TEN_SECONDS);
        request.lastToken = 7_006;
        assertThat(Slice.allowsHandover(request, ms(500) - 1, SLICE))
                .as("to the eighth")
                .isTrue();
        assertThat(Slice.allowsHandover(request, ms(500), SLICE)).as("too late").isFalse();
        request.lastToken = 7_007;
        assertThat(Slice.allowsHandover(request, ms(10), SLICE))
                .as("to a ninth")
                .isFalse();
        assertThat(Slice.allowsHandover(request, ms(10) - 1, SLICE)).isTrue();
    }

    @Test
    void aHoldIsVerifiedAtOnceWhenAConnectionIsReplaced() {
        Request request = held(TEN_SECONDS);
        renewal(request, ms(3_400));
        RenewalClock.verify(request, ms(3_500));
        assertThat(RenewalClock.isRenewalDue(request, ms(3_500), TIMEOUT)).isTrue();
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(3_500));
    }

    @Test
    void aRestoredLeaseIsNoShorterThanTheLocalOne() {
        clock.read(50_000, 0, 0);
        Request request = held(TEN_SECONDS);
        RenewalClock.lasts(request, ms(60_000));
        Command.Restore restore = Renewing.restore(request, clock, ms(1_000), TIMEOUT);
        assertThat(restore.leaseMillis()).isEqualTo(LeaseTimes.covering(ms(59_000)));
        assertThat(restore.notAfter()).isEqualTo(53_000);
        assertThat(request.renewing).isEqualTo(ms(1_000));
        assertThat(request.closedUntil).isEqualTo(ms(1_000) + ms(restore.leaseMillis()));
        assertThat(request.nothingLeft(0, 0)).isEqualTo(request.closedUntil);
    }

    @Test
    void aLostOrEndingRequestEndsWhenItsTimeIsOver() {
        Request request = held(SECOND);
        request.state = State.LOST;
        request.pending().giveUpAt = ms(5_000);
        request.pending().dueAt = ms(7_000);
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(5_000));
        request.pending().dueAt = ms(4_000);
        assertThat(request.wakeAt(TIMEOUT)).isEqualTo(ms(4_000));
    }

    @Test
    void aRequestServesWaitersWithTheSameOptions() {
        assertThat(wanted(SECOND).serves(Waiter.ofHandle(LockTerms.of(SECOND), false)))
                .isTrue();
        assertThat(wanted(SECOND).serves(Waiter.ofHandle(LockTerms.of(SECOND), true)))
                .isFalse();
        assertThat(wanted(SECOND).serves(Waiter.ofHandle(LockTerms.of(FIXED), false)))
                .isFalse();
        assertThat(wanted(SECOND)).hasToString("c:1 WANTED");
    }
}
