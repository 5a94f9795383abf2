// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.LeaseLoss;
import io.boltwork.engine.Engine;
import io.boltwork.machine.request.HandleRef;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A view of a hold with the right to release one level of it. */
public final class LeaseHandle extends LeaseView {

    public final HandleRef right;

    /** True if {@link #leave} was entered. Belongs to the thread that uses the right. */
    private boolean leaving;

    public LeaseHandle(Engine engine, Hold hold) {
        super(engine, hold);
        this.right = new HandleRef(this);
        hold.give(right);
    }

    @Override
    public boolean isReleased() {
        return !right.isOpen();
    }

    @Override
    Supplier<@Nullable LeaseLoss> losses() {
        Hold held = hold;
        HandleRef own = right; // the supplier must not keep this handle reachable
        return () -> held.lossFor(own);
    }

    @Override
    public void release() {
        Promise<Optional<LeaseLoss>> left = useRight(true);
        if (left != null) {
            engine.callers.awaitRelease(left);
        }
    }

    @Override
    @Nullable
    public Promise<Optional<LeaseLoss>> beginRelease() {
        return useRight(false);
    }

    /** Begins to release the level, also if an error cuts it short. Returns {@code null} if that was done before. */
    private @Nullable Promise<Optional<LeaseLoss>> useRight(boolean waits) {
        boolean used = false;
        try {
            used = right.use();
            return used ? leave(waits) : null;
        } catch (Error error) {
            if (!used) {
                right.cut = true;
                hold.owed = hold.owed | Hold.OWED_RIGHT;
                engine.errorFlag.cause = error;
                engine.errorFlag.raised = true;
            } else if (!leaving) {
                hold.owed = hold.owed | Hold.OWED_HANDLE;
                engine.errorFlag.cause = error;
                engine.errorFlag.raised = true;
            }
            throw error;
        }
    }

    /** Marks the handle as one with no level to release, because its hold could not be entered. */
    public void unused() {
        right.state = HandleRef.State.LEFT_CLEANLY;
    }

    private Promise<Optional<LeaseLoss>> leave(boolean waits) {
        leaving = true;
        Hold.Left left = null;
        try {
            left = hold.leave(true);
            right.setLeft(left.isLost());
            if (left.isLost()) {
                engine.drivers.callBack(lockName(), this::tellLoss);
            }
            return waits ? engine.callers.releaseLevelAndWait(hold, left) : engine.callers.releaseLevel(hold, left);
        } catch (Error error) {
            hold.owed = hold.owed | (left == null ? Hold.OWED_HANDLE : Hold.OWED_RELEASE);
            engine.errorFlag.cause = error;
            engine.errorFlag.raised = true;
            throw error;
        }
    }
}
