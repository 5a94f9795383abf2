// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Extension;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Slice;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rules of the engine for holds: what extends a hold, what ends it, and when its end is reported. */
class HoldingRulesTest extends EngineScene {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Reply.Renewed renewed(Renewal outcome) {
        return new Reply.Renewed(time(), List.of(new Reply.Renewed.Item(outcome, null)));
    }

    private static void isLost(Lease lease, Reason reason) {
        assertThat(holdOf(lease).loss()).isNotNull();
        assertThat(holdOf(lease).lossOf().reason()).isEqualTo(reason);
    }

    private Lease byMessage(LockOptions options) {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(options);
        freeElsewhere();
        return granted(wish);
    }

    // ---- the deadline

    @Test
    void aFixedLeaseIsLostAtItsDeadlineAndWaitersAsk() {
        Lease lease = acquire(FIXED);
        CompletableFuture<LeaseLoss> lost = lease.whenLost().toCompletableFuture();
        wish(FIXED);
        forget();
        client.passTo(holdOf(lease).request.deadline() - 1);
        assertThat(lost).isNotDone();
        assertThat(asked()).isEmpty();
        client.passTo(holdOf(lease).request.deadline());
        assertThat(lost).isCompletedWithValueMatching(loss -> loss.reason() == Reason.EXPIRED);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void anOwnerThatNoticesTheDeadlineLetsWaitersAsk() {
        Lease lease = acquire(FIXED);
        wish(FIXED);
        stallTo(lease);
        forget();
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThat(asked()).containsExactly("c:2");
        assertThat(client.engine.drivers.hold("lock")).isNull();
    }

    @Test
    void aRenewerThatNoticesTheDeadlineLetsWaitersAsk() {
        Lease lease = acquire(TEN);
        wish(FIXED);
        stallTo(lease);
        forget();
        happens(LockMachine::visited);
        isLost(lease, Reason.EXPIRED);
        assertThat(asked()).containsExactly("c:2");
        assertThat(sent(Command.Renew.class)).isEmpty();
    }

    @Test
    void anExtensionAfterTheDeadlineLetsWaitersAsk() {
        Lease lease = acquire(TEN);
        wish(FIXED);
        stallTo(lease);
        forget();
        assertThatThrownBy(() -> lease.extend(MINUTE)).isInstanceOf(LeaseLostException.class);
        assertThat(sent(Command.Renew.class)).isEmpty();
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void theEndOfOneHoldDoesNotEndTheNextOne() {
        Lease first = acquire(FIXED);
        stallTo(first);
        assertThatThrownBy(first::release).isInstanceOf(LeaseLostException.class);
        pass(500); // until the lease has ended at the server, too
        Lease second = acquire(FIXED);
        client.engine.drivers.expired(holdOf(first));
        assertThat(second.isValid()).isTrue();
        assertThat(client.engine.drivers.hold("lock")).isSameAs(holdOf(second));
    }

    @Test
    void anEndedLeaseIsReleasedAtItsServerEndBeforeTheUnwinding() {
        Lease lease = acquire(FIXED);
        forget();
        pass(30_000);
        assertThat(timesOf(Command.Release.class)).containsExactly(10_000L);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(sent(Command.Release.class)).hasSize(1);
    }

    @Test
    void aMaxHoldIsReleasedAtOnceAndKeptForTheTakeoverDelay() {
        Lease lease = acquire(TEN.withMaxHold(Duration.ofSeconds(2)).withTakeoverDelay(Duration.ofSeconds(1)));
        forget();
        pass(3_000);
        isLost(lease, Reason.MAX_HOLD);
        assertThat(timesOf(Command.Release.class)).containsExactly(2_000L);
        assertThat(sent(Command.Release.class).get(0).keepMillis()).isEqualTo(1_002);
        forget();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        assertThat(sent).isEmpty();
    }

    // ---- renewing

    @Test
    void aRenewalAnsweredAtTheDeadlineRenewsNothing() {
        Lease lease = acquire(TEN);
        wish(FIXED);
        forget();
        isSilent();
        pass(4_000);
        Command.Renew renew = sent(Command.Renew.class).get(0);
        stallTo(lease);
        forget();
        happens(machine -> machine.renewed(
                renew.items().get(0), 4_000 * MILLI, renewed(Renewal.OK).items().get(0)));
        isLost(lease, Reason.EXPIRED);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void aRenewalOfATakenLockEndsTheHoldAndWaitersAskAtOnce() {
        Lease lease = acquire(TEN);
        wish(FIFO);
        wish(TWENTY);
        client.server.delete("lock");
        holdElsewhere(60_000);
        forget();
        pass(4_000);
        isLost(lease, Reason.TAKEN);
        long at = timesOf(Command.Renew.class).get(0);
        assertThat(timesOf(Command.Acquire.class)).containsExactly(at, at);
        assertThat(asked()).containsExactly("c:2", "c:3");
    }

    @Test
    void aStaleRenewalIsRepeatedAtOnce() {
        acquire(TEN);
        forget();
        stall(4_000);
        Reply.Renewed stale = renewed(Renewal.STALE);
        client.wire = command -> {
            sent.add(command);
            return sent.size() == 1 ? stale : client.server.execute(command);
        };
        happens(LockMachine::visited);
        pass(0);
        assertThat(sent(Command.Renew.class)).hasSize(2);
    }

    @Test
    void aHoldIsVerifiedWhenAConnectionIsReplaced() {
        acquire(TEN);
        forget();
        client.engine.backendWatch.connected(time());
        assertThat(sent(Command.Renew.class)).hasSize(1);
    }

    @Test
    void aForgottenHoldIsRestoredOrEndsIfItCannotBeReleased() throws InterruptedException {
        inThread("the owner", () -> client.lock(TEN).lock());
        Hold hold = client.engine.drivers.hold("lock");
        client.server.delete("lock");
        happens(machine -> machine.renewed(
                item(hold), 0, renewed(Renewal.FORGOTTEN).items().get(0)));
        assertThat(sent(Command.Restore.class)).hasSize(1);
        pass(4_000); // the owner has ended
        client.server.delete("lock");
        happens(machine -> machine.renewed(
                item(hold), 0, renewed(Renewal.FORGOTTEN).items().get(0)));
        assertThat(sent(Command.Restore.class)).hasSize(1);
        assertThat(hold.lossOf().reason()).isEqualTo(Reason.EXPIRED);
    }

    private static Command.Renew.Item item(Hold hold) {
        return new Command.Renew.Item("lock", hold.request.id(), hold.request.firstToken, 10_000, 0);
    }

    @Test
    void aFailedRestoreIsRepeatedANinthOfTheLeaseLater() {
        Lease lease = acquire(TEN);
        client.server.delete("lock");
        forget();
        isSilentAbout(Command.Restore.class);
        client.engine.backendWatch.connected(time());
        Command.Restore restore = sent(Command.Restore.class).get(0);
        stall(500);
        answered(restore, 0, new Reply.Failed(true, BROKEN));
        answersAgain();
        pass(1_111);
        assertThat(sent(Command.Restore.class)).hasSize(1);
        pass(1_112);
        assertThat(sent(Command.Restore.class)).hasSize(2);
        assertThat(look().owner()).isEqualTo("c:1");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aRestoreExecutedTwiceIsNotALoss() {
        Lease lease = acquire(TEN);
        Command.Restore restore = new Command.Restore("lock", "c:1", lease.fencingToken(), 10_000, 0, Long.MAX_VALUE);
        forget();
        answered(restore, 0, new Reply.Restored(time(), Renewal.LOST, "c:1"));
        assertThat(lease.isValid()).isTrue();
        pass(1);
        assertThat(sent(Command.Renew.class)).as("it is verified").hasSize(1);
        answered(restore, 0, new Reply.Restored(time(), Renewal.LOST, "other:1"));
        isLost(lease, Reason.TAKEN);
    }

    // ---- extending

    @Test
    void anExtensionIsOneRenewalThatMustNotTakeEffectLate() {
        Lease lease = acquire(TEN);
        forget();
        long millis = time().millis();
        lease.extend(MINUTE);
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(sent(Command.Renew.class).get(0).notAfter()).isEqualTo(millis + 2_000);
        assertThat(lease.remaining()).isGreaterThanOrEqualTo(MINUTE);
    }

    @Test
    void anExtensionOfATakenLockThrowsTheLossAndWaitersAsk() {
        Lease lease = acquire(TEN);
        wish(FIXED);
        forget();
        client.server.execute(new ForceRelease("lock", 0));
        assertThatThrownBy(() -> lease.extend(MINUTE)).isInstanceOf(LeaseLostException.class);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void anExtensionOfAForgottenHoldIsRepeatedAfterTheRestore() {
        Lease lease = acquire(TEN);
        client.server.delete("lock");
        lease.extend(MINUTE);
        assertThat(look().owner()).isEqualTo("c:1");
        assertThat(lease.remaining()).isGreaterThanOrEqualTo(MINUTE);
    }

    @Test
    void aFailedExtensionThrows() {
        Lease lease = acquire(TEN);
        fails(true, BROKEN);
        assertThatThrownBy(() -> lease.extend(MINUTE))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("broken. The lease was not extended");
        assertThat(now()).as("the time of the failure").isZero();
        isSilent();
        assertThatThrownBy(() -> lease.extend(MINUTE))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("No answer");
        assertThat(now()).isEqualTo(2_000);
    }

    @Test
    void anExtensionAnsweredAfterTheHoldEndedIsALoss() {
        Lease lease = acquire(TEN);
        Promise<Extension> outcome = new Promise<>();
        isSilent();
        happens(machine -> machine.extend(holdOf(lease), MINUTE.toNanos(), outcome));
        Command.Renew renew = sent(Command.Renew.class).get(0);
        lease.releaseAsync();
        answered(renew, 0, renewed(Renewal.OK));
        assertThat(outcome.value()).isEqualTo(Extension.LOST);
        Promise<Extension> late = new Promise<>();
        happens(machine -> machine.extend(holdOf(lease), MINUTE.toNanos(), late));
        assertThat(late.value()).isEqualTo(Extension.LOST);
    }

    @Test
    void anExtensionAnsweredAtTheDeadlineIsALoss() {
        Lease lease = acquire(TEN);
        Promise<Extension> outcome = new Promise<>();
        isSilent();
        happens(machine -> machine.extend(holdOf(lease), MINUTE.toNanos(), outcome));
        stallTo(lease);
        answered(sent(Command.Renew.class).get(0), 0, renewed(Renewal.OK));
        assertThat(outcome.value()).isEqualTo(Extension.LOST);
    }

    // ---- verifying

    @Test
    void aVerificationIsOneRenewalThatExtendsNothing() {
        Lease lease = acquire(TEN);
        pass(1_000);
        forget();
        long millis = time().millis();
        long until = look().untilMillis();
        Duration remaining = lease.remaining();
        assertThat(lease.verify()).isTrue();
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(sent(Command.Renew.class).get(0).notAfter()).isEqualTo(millis + 2_000);
        assertThat(look().untilMillis()).isEqualTo(until);
        assertThat(lease.remaining()).isEqualTo(remaining);
        assertThat(Slice.allowsHandover(holdOf(lease).request, client.now(), LockTerms.of(TEN).leaseMillis * MILLI))
                .isTrue();
    }

    @Test
    void aVerificationOfATakenLockThrowsTheLoss() {
        Lease lease = acquire(TEN);
        client.server.execute(new ForceRelease("lock", 0));
        assertThatThrownBy(lease::verify).isInstanceOf(LeaseLostException.class);
        isLost(lease, Reason.TAKEN);
    }

    @Test
    void aVerificationOfAForgottenHoldIsRepeatedAfterTheRestore() {
        Lease lease = acquire(TEN);
        client.server.delete("lock");
        assertThat(lease.verify()).isTrue();
        assertThat(look().owner()).isEqualTo("c:1");
    }

    @Test
    void theClockDecidesIfAVerificationIsNotAnswered() {
        Lease lease = acquire(TEN);
        fails(true, BROKEN);
        assertThat(lease.verify()).isFalse();
        isSilent();
        assertThat(lease.verify()).isFalse();
        assertThat(now()).isEqualTo(2_000);
        pass(7_000); // its deadline passes while it waits
        assertThatThrownBy(lease::verify).isInstanceOf(LeaseLostException.class);
    }

    // ---- calls

    @Test
    void aCallThatEndsBeforeItBeginsNeverRuns() {
        Lease lease = acquire(TEN);
        AtomicInteger begun = new AtomicInteger();
        CompletableFuture<String> call = client.lock(TEN)
                .<String>callAsync(Duration.ofSeconds(5), held -> {
                    begun.incrementAndGet();
                    return new CompletableFuture<>();
                })
                .toCompletableFuture();
        call.completeExceptionally(new TimeoutException("like that of orTimeout"));
        lease.release();
        assertThat(begun).hasValue(0);
        assertThat(look().owner()).isNull();
    }

    @Test
    void aStartedCallKeepsTheLockEvenIfItIsCancelled() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> call =
                client.lock(TEN).callAsync(Duration.ofSeconds(5), held -> work).toCompletableFuture();
        call.cancel(true);
        assertThat(look().owner()).isEqualTo("c:1");
        work.complete("done");
        assertThat(look().owner()).isNull();
    }

    // ---- granted again, and to others

    @Test
    void theAnswerToAnAcquireConfirmsAHoldByMessage() {
        Lease lease = byMessage(FIXED);
        Command.Acquire acquire = sent(Command.Acquire.class).get(0);
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(3));
        answered(acquire, 0, new Acquired(time(), Verdict.GRANTED, lease.fencingToken(), 0, 0, true, "c:1"));
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(9_898));
        forget();
        pass(1_500);
        assertThat(sent(Command.Renew.class))
                .as("renewals, with nothing to confirm")
                .isEmpty();
        assertThat(machine().wakeAt())
                .as("the machine itself handles the end")
                .isEqualTo(holdOf(lease).request.deadline());
    }

    @Test
    void aRepeatedGrantMessageChangesNothing() {
        Lease lease = byMessage(TEN);
        Duration before = lease.remaining();
        client.engine.backendWatch.granted(new Grant("lock", "c:1", lease.fencingToken(), 3_000, time()));
        assertThat(lease.remaining()).isEqualTo(before);
        forget();
        pass(1_500);
        assertThat(sent(Command.Renew.class))
                .as("renewals that confirm the hold")
                .isNotEmpty();
    }

    @Test
    void aLargerTokenForTheRequestMeansTheFirstGrantHadEnded() {
        Lease lease = acquire(TEN);
        wish(FIXED);
        forget();
        client.engine.backendWatch.granted(new Grant("lock", "c:1", lease.fencingToken() + 5_000, 3_000, time()));
        isLost(lease, Reason.TAKEN);
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void anOlderTokenForTheSameRequestChangesNothing() {
        Lease lease = acquire(TEN);
        client.engine.backendWatch.granted(new Grant("lock", "c:1", lease.fencingToken() - 5_000, 3_000, time()));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void anAnswerAtTheDeadlineFindsTheHoldLost() {
        Lease lease = acquire(TEN);
        Command.Acquire acquire = sent(Command.Acquire.class).get(0);
        stallTo(lease);
        answered(acquire, now(), new Acquired(time(), Verdict.GRANTED, lease.fencingToken(), 0, 0, true, "c:1"));
        assertThat(client.engine.drivers.hold("lock")).isNull();
        isLost(lease, Reason.EXPIRED);
    }

    @Test
    void aGrantToAnotherRequestOfTheClientEndsTheHold() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(FIFO);
        client.server.execute(new ForceRelease("lock", 0));
        isLost(first, Reason.TAKEN);
        assertThat(granted(second).isValid()).isTrue();
    }

    @Test
    void aHoldDisplacedAfterItsDeadlineHasExpired() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(FIFO);
        stallTo(first);
        ServerTime time = time();
        client.engine.backendWatch.granted(new Grant("lock", "c:2", first.fencingToken() + 5_000, 3_000, time));
        isLost(first, Reason.EXPIRED);
        assertThat(second).isCompleted();
    }

    @Test
    void aHoldDisplacedAfterItsOwnerLeftIsReleasedNotLost() {
        Lease first = acquire(TEN);
        CompletableFuture<Lease> second = wish(FIFO);
        CompletableFuture<Lease> third = wish(TEN);
        Hold hold = holdOf(first);
        hold.leave(true); // its release has not reached the machine yet
        client.server.execute(new ForceRelease("lock", 0));
        assertThat(second).isCompleted();
        assertThat(hold.loss()).isNull();
        forget();
        happens(machine -> machine.release(hold));
        assertThat(sent(Command.Release.class))
                .extracting(Command.Release::request)
                .containsExactly("c:1");
        assertThat(granted(second).isValid()).isTrue();
    }

    @Test
    void aHoldThatEndsAfterItsOwnerLeftIsReleasedNotLost() {
        Lease lease = acquire(TEN);
        Hold hold = holdOf(lease);
        hold.leave(true);
        stallTo(lease);
        happens(LockMachine::visited);
        assertThat(hold.loss()).isNull();
        assertThat(client.engine.drivers.hold("lock"))
                .as("until the release arrives")
                .isSameAs(hold);
        happens(machine -> machine.release(hold));
        assertThat(client.engine.drivers.hold("lock")).isNull();
    }
}
