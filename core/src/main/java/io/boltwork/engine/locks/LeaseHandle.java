// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.Engine;
import io.boltwork.machine.request.HandleRef;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A view of a hold with the right to release one level of it. */
public final class LeaseHandle extends LeaseView implements HandleRef.Handle {

    final HandleRef right;

    /** True if {@link #leave} was entered. Belongs to the thread that uses the right. */
    private boolean leaving;

    /** True if an error has cut a release short before it used the right. A field, so that writing it needs no call. */
    public volatile boolean cut;

    public LeaseHandle(Engine engine, Hold hold) {
        super(engine, hold);
        this.right = new HandleRef(this);
        hold.give(right);
    }

    @Override
    public boolean isCut() {
        return cut;
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
        Promise<Optional<LeaseLoss>> left = beginRelease(true);
        if (left != null) {
            engine.callers.awaitRelease(left);
        }
    }

    @Override
    @Nullable
    public Promise<Optional<LeaseLoss>> beginRelease() {
        return beginRelease(false);
    }

    private @Nullable Promise<Optional<LeaseLoss>> beginRelease(boolean waits) {
        boolean used = false;
        try {
            used = right.use();
            return used ? leave(waits) : null;
        } catch (Error error) {
            if (!used) {
                cut = true;
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

    @Override
    public void cutShort(Error error) {
        if (right.isOpen()) {
            cut = true;
            hold.owed = hold.owed | Hold.OWED_RIGHT;
            engine.errorFlag.cause = error;
            engine.errorFlag.raised = true;
        }
    }

    /** Marks the handle as one with no level to release, because its hold could not be entered. */
    public void unused() {
        right.state = HandleRef.State.LEFT_CLEANLY;
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!right.use()) {
            done.complete(null);
            return done;
        }
        Promise<Optional<LeaseLoss>> left = leave(false);
        if (!left.isDecided()) {
            Future<?> timer = engine.callers.decideAfterTimeout(left);
            done.whenComplete((nothing, loss) -> timer.cancel(false));
        }
        left.then(() -> engine.drivers.callBack(lockName(), () -> {
            Optional<LeaseLoss> loss = left.value();
            if (loss.isEmpty()) {
                done.complete(null);
            } else {
                done.completeExceptionally(new LeaseLostException(loss.get()));
            }
        }));
        return done;
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
