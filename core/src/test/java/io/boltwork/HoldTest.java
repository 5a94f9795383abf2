package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Hold.Left;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockOptions.OnLoss;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final int ROUNDS = 20_000;

    private long now;
    private final Request request = new Request("lock", "c:1", LockOptions.defaults(), false, Request.State.HELD);

    private Hold hold(LockOptions options, boolean asLease) {
        Request held = options == LockOptions.defaults()
                ? request
                : new Request("lock", "c:1", options, false, Request.State.HELD);
        held.deadline = 1_000;
        return new Hold(held, 7, Waiter.ofThread(options, false, asLease), () -> now, new CallbackQueue(Runnable::run));
    }

    @Test
    void endsWhenAllLevelsAreLeftInAnyOrder() {
        Hold hold = hold(LockOptions.defaults(), false);
        assertThat(hold.enter(true)).isTrue();
        assertThat(hold.enter(false)).isTrue();
        assertThat(hold.depth()).isEqualTo(3);
        assertThat(hold.leave(false)).isEqualTo(Left.NESTED);
        assertThat(hold.leave(false)).isEqualTo(Left.NESTED);
        assertThat(hold.locks()).isZero();
        assertThat(hold.leave(true)).isEqualTo(Left.LAST);
        assertThat(hold.enter(true)).as("it has ended").isFalse();
        assertThat(hold.lose(Reason.TAKEN)).as("nothing to lose").isFalse();
        assertThat(hold.loss()).isNull();
    }

    @Test
    void isLostByTheClockBeforeAnybodySaysSo() {
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
    void isLostOnceAndByTheFirstReason() {
        Hold hold = hold(LockOptions.defaults(), false);
        assertThat(hold.lose(Reason.TAKEN)).isTrue();
        assertThat(hold.lose(Reason.CLOSED)).isFalse();
        assertThat(hold.lossOf().reason()).isEqualTo(Reason.TAKEN);
        assertThat(hold.lossOf().fencingToken()).isEqualTo(7);
    }

    @Test
    void eitherTheReleaseWinsOrTheLossAndTheInterruptNeverComesAfterTheRelease() throws Exception {
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
