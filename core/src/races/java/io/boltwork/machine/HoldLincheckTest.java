// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.engine.Interleavings;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Hold.Left;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class HoldLincheckTest {

    private static final long DEADLINE = 1_000;

    /** Returns a hold of the current thread until {@link #DEADLINE}, one level deep. */
    private static Hold hold(OnLoss onLoss, boolean asLease, Ticker ticker) {
        Waiter waiter = Waiter.of(
                Thread.currentThread(), LockTerms.of(LockOptions.defaults().withOnLoss(onLoss)), false, asLease);
        Request request = Request.of(new StillContext(ticker, Runnable::run), 1, waiter, 0);
        request.startHold(DEADLINE, 7, true, 0);
        request.occupied(0);
        return new Hold(request, 7, waiter, 0);
    }

    private static Hold hold(OnLoss onLoss) {
        return hold(onLoss, false, () -> 0);
    }

    @Test
    void eitherTheReleaseOrOneLossWins() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.NOTIFY);
            Left[] left = new Left[1];
            boolean[] lost = new boolean[2];
            together(
                    () -> {
                        left[0] = hold.leave(false);
                        check(!left[0].isLost() || hold.lossOf() != null, "lost without a known reason");
                    },
                    () -> lost[0] = hold.lose(Reason.TAKEN),
                    () -> lost[1] = hold.lose(Reason.CLOSED));
            check(!(lost[0] && lost[1]), "lost twice");
            check(left[0] == (lost[0] || lost[1] ? Left.LOST_LAST : Left.LAST), "both have won, or neither");
            check(hold.isOver() && !hold.isValid(), "not over");
            LeaseLoss loss = hold.loss();
            check((loss != null) == (lost[0] || lost[1]), "a loss and none");
            check(loss == null || loss.reason() == (lost[0] ? Reason.TAKEN : Reason.CLOSED), "another reason");
        });
    }

    @Test
    void noInterruptComesAfterTheRelease() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.INTERRUPT);
            boolean[] lost = new boolean[1];
            AtomicReference<Boolean> ended = new AtomicReference<>(false);
            boolean[] interrupted = new boolean[2];
            together(
                    () -> {
                        hold.leave(false);
                        interrupted[0] = Thread.interrupted();
                        while (!ended.get()) {
                            Thread.onSpinWait();
                        }
                        interrupted[1] = Thread.interrupted();
                    },
                    () -> {
                        lost[0] = hold.lose(Reason.TAKEN);
                        ended.set(true);
                    });
            check(!interrupted[1], "interrupted after the release");
            check(interrupted[0] == lost[0], "lost without an interrupt, or interrupted without a loss");
        });
    }

    @Test
    void anInterruptedOwnerSeesTheLoss() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.INTERRUPT);
            together(
                    () -> {
                        while (!Thread.interrupted()) {
                            Thread.onSpinWait();
                        }
                        check(!hold.isValid(), "interrupted, and valid");
                        check(hold.leave(false) == Left.LOST_LAST, "interrupted, and not lost");
                    },
                    () -> hold.lose(Reason.TAKEN));
        });
    }

    @Test
    void nestingAndTheLastReleaseExcludeEachOther() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.NOTIFY, true, () -> 0);
            boolean[] nested = new boolean[1];
            Left[] left = new Left[1];
            together(() -> nested[0] = hold.enter(false), () -> left[0] = hold.leave(true));
            check(left[0] == (nested[0] ? Left.NESTED : Left.LAST), "nested in what has ended");
            check(hold.depth() == (nested[0] ? 1 : 0), "another depth");
        });
    }

    @Test
    void everyLevelIsCountedAndOneReleaseIsTheLast() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.NOTIFY, true, () -> 0);
            hold.enter(true);
            boolean[] lost = new boolean[1];
            Left[] left = new Left[2];
            together(
                    () -> left[0] = hold.leave(true),
                    () -> left[1] = hold.leave(true),
                    () -> lost[0] = hold.lose(Reason.TAKEN));
            int last = 0;
            for (Left one : left) {
                last += one == Left.LAST || one == Left.LOST_LAST ? 1 : 0;
                check(lost[0] || !one.isLost(), "a loss without a cause");
            }
            check(last == 1, "none was the last, or both");
            check(!lost[0] || left[0].isLost() || left[1].isLost(), "lost without a notice");
        });
    }

    @Test
    void whenLostCompletesWhicheverComesFirst() {
        Interleavings.of(60, () -> {
            Hold hold = hold(OnLoss.NOTIFY);
            AtomicReference<CompletableFuture<LeaseLoss>> future = new AtomicReference<>();
            AtomicReference<CompletableFuture<LeaseLoss>> other = new AtomicReference<>();
            together(
                    () -> future.set(hold.whenLost()), () -> other.set(hold.whenLost()), () -> hold.lose(Reason.TAKEN));
            check(future.get().isDone() && other.get().isDone(), "a future is not completed");
        });
    }

    @Test
    void theDeadlineIsNoticedByExactlyOneThread() {
        Interleavings.of(60, () -> {
            long[] now = new long[1];
            Hold hold = hold(OnLoss.INTERRUPT, false, () -> now[0]);
            boolean[] valid = new boolean[2];
            together(
                    () -> {
                        valid[0] = hold.isValid();
                        Left left = hold.leave(false);
                        check(valid[0] || left == Left.LOST_LAST, "released a hold that was no longer valid");
                        check(
                                Thread.interrupted() == left.isLost(),
                                "lost without an interrupt, or interrupted without a loss");
                    },
                    () -> {
                        now[0] = DEADLINE;
                        valid[1] = hold.isValid();
                        hold.loss();
                    });
            check(!valid[1], "valid after its deadline");
            check(!Thread.interrupted(), "interrupted after the release");
        });
    }
}
