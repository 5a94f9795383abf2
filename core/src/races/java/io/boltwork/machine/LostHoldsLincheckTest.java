// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockOptions;
import io.boltwork.engine.Interleavings;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LostHolds;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class LostHoldsLincheckTest {

    /** Returns a lost hold of the current thread. */
    private static Hold lost() {
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(LockOptions.defaults()), false, false);
        Request request = Request.of(new StillContext(), 1, waiter, 0);
        request.startHold(1_000, 7, true, 0);
        request.occupied(0);
        Hold hold = new Hold(request, 7, waiter, 0);
        hold.lose(Reason.TAKEN);
        return hold;
    }

    @Test
    void aThreadFindsItsLostHoldDespiteChangesOfOthers() {
        Interleavings.of(60, () -> {
            AtomicReference<LostHolds> holds = new AtomicReference<>(LostHolds.NONE); // as in the machine
            Hold mine = lost();
            Thread me = Thread.currentThread();
            holds.set(holds.get().with(List.of(mine), 0));
            Hold[] others = new Hold[2];
            Thread other = new Thread(() -> {
                others[0] = lost();
                others[1] = lost();
            });
            other.start();
            joined(other);
            together(
                    () -> {
                        check(holds.get().of(me, false) == mine, "not found");
                        check(holds.get().of(me, false) == mine, "not found");
                    },
                    () -> { // the machine
                        holds.set(holds.get().with(List.of(others[0]), 0));
                        holds.set(holds.get().with(List.of(others[1]), 0));
                        holds.set(holds.get().without(others[0]));
                        holds.set(holds.get().looked(Long.MAX_VALUE - 1)); // its thread has ended
                    });
            check(holds.get().of(me, false) == mine, "not found");
            check(holds.get().of(other, false) == null, "kept for a thread that has ended");
            check(mine.leave(false) == Hold.Left.LOST_LAST, "not lost");
            check(holds.get().of(me, false) == null, "found after its end");
        });
    }

    private static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError("interrupted", interrupted);
        }
    }
}
