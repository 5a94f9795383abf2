// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.engine.StillClient;
import io.boltwork.engine.StillContext;
import io.boltwork.engine.locks.LeaseHandle;
import io.boltwork.machine.request.Hold.Left;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final int ROUNDS = 20_000;

    private long now;
    private int callbacks;
    private Request request =
            held(Waiter.of(Thread.currentThread(), LockTerms.of(LockOptions.defaults()), false, false));

    private Request held(Waiter waiter) {
        Request request = Request.of(new StillContext(() -> now, this::callback), 1, waiter, 0);
        request.startHold(1_000, 7, true, 0);
        request.occupied(0);
        return request;
    }

    private Hold hold(LockOptions options, boolean asLease) {
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(options), false, asLease);
        request = held(waiter);
        return new Hold(request, 7, waiter, 0);
    }

    private void callback(Runnable task) {
        callbacks++;
        task.run();
    }

    @Test
    void aHoldEndsWhenAllLevelsAreReleasedInAnyOrder() {
        Hold hold = hold(LockOptions.defaults(), false);
        assertThat(hold.enter(true)).isTrue();
        assertThat(hold.enter(false)).isTrue();
        assertThat(hold.depth()).isEqualTo(3);
        assertThat(hold.leave(false)).isEqualTo(Left.NESTED);
        assertThat(hold.leave(false)).isEqualTo(Left.NESTED);
        assertThat(hold.locks()).isZero();
        assertThat(hold.leave(true)).isEqualTo(Left.LAST);
        assertThat(hold.enter(true)).as("entering an ended hold").isFalse();
        assertThat(hold.lose(Reason.TAKEN)).as("losing an ended hold").isFalse();
        assertThat(hold.loss()).isNull();
    }

    @Test
    void aHoldIsLostByTheClockBeforeAnyNotice() {
        Hold hold = hold(LockOptions.defaults(), false);
        CompletableFuture<LeaseLoss> lost = hold.whenLost();
        assertThat(hold.isValid()).isTrue();
        now = 1_000;
        assertThat(hold.isValid()).isFalse();
        assertThat(lost).isNotDone();
        assertThatThrownBy(() -> hold.enter(false)).isInstanceOf(LeaseLostException.class);
        assertThat(lost).isCompletedWithValueMatching(loss -> loss.reason() == Reason.EXPIRED);
        assertThat(hold.leave(false)).isEqualTo(Left.LOST_LAST);
        assertThat(hold.isOver()).isTrue();
    }

    @Test
    void aHoldLastsUntilItsDeadlineOrItsRelease() {
        Hold hold = hold(LockOptions.defaults(), false);
        assertThat(hold.remaining()).isEqualTo(1_000);
        now = 400;
        assertThat(hold.remaining()).isEqualTo(600);
        assertThat(hold.loss()).isNull();
        assertThatThrownBy(hold::lossOf).isInstanceOf(IllegalStateException.class);
        hold.leave(false);
        assertThat(hold.remaining()).isZero();
        assertThat(hold.isValid()).isFalse();
        now = 1_000;
        assertThat(hold.loss())
                .as("a hold that was released before its deadline")
                .isNull();
    }

    @Test
    void theFirstCheckFindsTheLoss() {
        Hold hold = hold(LockOptions.defaults(), true);
        hold.enter(true);
        hold.enter(false);
        now = 1_000;
        assertThat(hold.loss()).extracting(LeaseLoss::reason).isEqualTo(Reason.EXPIRED);
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.whenLost()).isDone();
        assertThat(hold.leave(true)).isEqualTo(Left.LOST_NESTED);
        assertThat(hold.locks()).isOne();
        assertThat(hold.leave(false)).isEqualTo(Left.LOST_NESTED);
        assertThat(hold.isOver()).isFalse();
        assertThat(hold.leave(true)).isEqualTo(Left.LOST_LAST);
        assertThat(hold.loss()).as("the loss stays known").isNotNull();
        now = 0;
        Hold other = hold(LockOptions.defaults(), true);
        now = 1_000;
        assertThat(other.leave(true)).as("a first check by the release").isEqualTo(Left.LOST_LAST);
    }

    @Test
    void everyWhenLostCompletesOnceAndOnlyAtTheLoss() {
        Hold hold = hold(LockOptions.defaults(), false);
        CompletableFuture<LeaseLoss> lost = hold.whenLost();
        assertThat(hold.whenLost()).isSameAs(lost);
        assertThat(lost).isNotDone();
        hold.lose(Reason.TAKEN);
        assertThat(lost).isCompleted();
        assertThat(hold(LockOptions.defaults(), false).whenLost()).isNotDone();
        assertThat(callbacks).as("completed once").isOne();
        assertThat(hold.whenLost()).isSameAs(lost);
        assertThat(callbacks).isOne();
    }

    @Test
    void onlyTheOwnerIsInterruptedAndOnlyOnRequest() {
        hold(LockOptions.defaults(), false).lose(Reason.TAKEN);
        assertThat(Thread.interrupted()).isFalse();
        hold(LockOptions.defaults().withOnLoss(OnLoss.INTERRUPT), false).lose(Reason.TAKEN);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aHoldKnowsWhichHandlesCanStillReleaseIt() {
        StillClient client = new StillClient();
        FencedLock lock = client.lock(LockOptions.defaults());
        LeaseHandle outer =
                (LeaseHandle) lock.acquireAsync().toCompletableFuture().join();
        Hold hold = outer.hold;
        assertThat(hold.absence()).as("the handle exists").isNull();
        HandleRef[] rights = new HandleRef[4];
        for (int i = 0; i < rights.length; i++) {
            hold.enter(true);
            rights[i] = right(outer, hold);
        }
        rights[0].use();
        hold.leave(true);
        rights[2].use();
        hold.leave(true);
        hold.enter(true);
        HandleRef newest = right(outer, hold);
        assertThat(newest.next).isSameAs(rights[3]);
        assertThat(rights[3].next).as("used references are removed").isSameAs(rights[1]);
        assertThat(rights[1].next).isNotNull().isNotSameAs(rights[0]);
        rights[1].clear();
        rights[3].clear();
        assertThat(hold.absence()).as("two of four are gone").isNull();
        assertThat(rights[3].isForsaken()).isTrue();
        assertThat(newest.isForsaken()).isFalse();
        newest.clear();
        HandleRef first = rights[1].next;
        first.clear();
        assertThat(hold.absence()).isEqualTo(LockListener.Absence.LEASE_UNREACHABLE);
        first.use();
        assertThat(first.isForsaken()).as("the handle is being released").isFalse();
    }

    private static HandleRef right(LeaseHandle handle, Hold hold) {
        HandleRef right = new HandleRef(handle);
        hold.give(right);
        return right;
    }

    @Test
    void aHoldOfAnEndedThreadIsAbandonedUnlessAHandleExists() throws InterruptedException {
        Hold[] holds = new Hold[2];
        Thread owner = new Thread(() -> {
            holds[0] = hold(LockOptions.defaults(), false);
            holds[1] = hold(LockOptions.defaults(), false);
            holds[1].enter(true); // a handle that another thread may have
        });
        owner.start();
        owner.join();
        assertThat(holds[0].absence()).isEqualTo(LockListener.Absence.THREAD_ENDED);
        assertThat(holds[1].absence()).isNull();
        assertThat(hold(LockOptions.defaults(), false).absence()).isNull();
    }

    @Test
    void anOwnerThatHasLeftIsNotAbsent() {
        Hold left = hold(LockOptions.defaults(), true);
        left.leave(true);
        assertThat(left.absence())
                .as("the owner has left, but its release is not under way yet")
                .isNull();
    }

    @Test
    void aHandleReferenceIsUsedOnceAndKnowsItsOwnLoss() {
        LeaseHandle handle =
                (LeaseHandle) new StillClient().lock(LockOptions.defaults()).acquire();
        Hold hold = hold(LockOptions.defaults(), true);
        HandleRef clean = right(handle, hold);
        HandleRef late = right(handle, hold);
        HandleRef open = right(handle, hold);
        assertThat(clean.use()).isTrue();
        assertThat(clean.use()).isFalse();
        clean.setLeft(false);
        late.use();
        hold.lose(Reason.TAKEN);
        assertThat(hold.lossFor(clean)).isNull();
        assertThat(hold.lossFor(open)).isNotNull();
        assertThat(hold.lossFor(late)).as("the loss is not known yet").isNull();
        late.setLeft(true);
        assertThat(hold.lossFor(late)).isNotNull();
        assertThat(late.isOpen()).isFalse();
        assertThat(open.isOpen()).isTrue();
    }

    @Test
    void anInterruptedThreadSeesTheLoss() throws Exception {
        AtomicReference<Boolean> valid = new AtomicReference<>();
        AtomicReference<Hold> hold = new AtomicReference<>();
        LockOptions options = LockOptions.defaults().withOnLoss(OnLoss.INTERRUPT);
        Thread owner =
                new Thread(() -> {
                    Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(options), false, false);
                    hold.set(new Hold(held(waiter), 7, waiter, 0));
                }) {
                    @Override
                    public void interrupt() {
                        valid.set(hold.get().isValid());
                    }
                };
        owner.start();
        owner.join();
        assertThat(hold.get().isValid()).isTrue();
        hold.get().lose(Reason.TAKEN);
        assertThat(valid).hasValue(false);
    }

    @Test
    void aHoldIsLostOnceForTheFirstReason() {
        Hold hold = hold(LockOptions.defaults(), false);
        assertThat(hold.lose(Reason.TAKEN)).isTrue();
        assertThat(hold.lose(Reason.CLOSED)).isFalse();
        assertThat(hold.lossOf().reason()).isEqualTo(Reason.TAKEN);
        assertThat(hold.lossOf().fencingToken()).isEqualTo(7);
    }

    @Test
    void releaseOrLossWinsAndNoInterruptFollowsTheRelease() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        AtomicReference<Hold> current = new AtomicReference<>();
        AtomicBoolean lost = new AtomicBoolean();
        Thread loser = new Thread(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                await(start);
                lost.set(current.get().lose(Reason.TAKEN));
                await(start);
            }
        });
        loser.start();
        int releases = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Hold hold = hold(LockOptions.defaults().withOnLoss(OnLoss.INTERRUPT), false);
            current.set(hold);
            await(start);
            for (int spin = i % 50; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            Left left = hold.leave(false);
            boolean interrupted = Thread.interrupted();
            await(start);
            assertThat(Thread.interrupted()).as("interrupted after the release").isFalse();
            assertThat(left).isEqualTo(lost.get() ? Left.LOST_LAST : Left.LAST);
            assertThat(interrupted).isEqualTo(lost.get());
            releases += lost.get() ? 0 : 1;
        }
        loser.join();
        assertThat(releases).as("both sides win sometimes").isBetween(1, ROUNDS - 1);
    }

    @Test
    void nestingAndTheLastReleaseExcludeEachOther() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        AtomicReference<Hold> current = new AtomicReference<>();
        AtomicReference<Left> left = new AtomicReference<>();
        Thread releaser = new Thread(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                await(start);
                left.set(current.get().leave(true));
                await(start);
            }
        });
        releaser.start();
        for (int i = 0; i < ROUNDS; i++) {
            Hold hold = hold(LockOptions.defaults(), true);
            current.set(hold);
            await(start);
            boolean nested = hold.enter(false);
            await(start);
            assertThat(left.get()).isEqualTo(nested ? Left.NESTED : Left.LAST);
        }
        releaser.join();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
