package io.boltwork;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The right to release one level of a hold. */
final class LeaseHandle extends LeaseView {

    /** A release that turns out to come after the loss tells the loss itself; so LEAVING is neither one nor the other. */
    private enum State {
        OPEN,
        LEAVING,
        LEFT_CLEANLY,
        LEFT_LOST
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    LeaseHandle(Engine engine, Hold hold) {
        super(engine, hold);
    }

    @Override
    boolean isReleased() {
        return state.get() != State.OPEN;
    }

    @Override
    @Nullable
    LeaseLoss loss() {
        State now = state.get();
        return now == State.OPEN || now == State.LEFT_LOST ? hold.loss() : null;
    }

    @Override
    public void release() {
        if (state.compareAndSet(State.OPEN, State.LEAVING)) {
            engine.await(leave());
        }
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!state.compareAndSet(State.OPEN, State.LEAVING)) {
            done.complete(null);
            return done;
        }
        Outcome<Optional<LeaseLoss>> left = leave();
        if (!left.isDecided()) {
            Scheduler.Timer timer = engine.decideAfterTimeout(left);
            done.whenComplete((nothing, loss) -> timer.cancel());
        }
        left.then(() -> engine.callbacks(lockName()).run(() -> {
            Optional<LeaseLoss> loss = left.value();
            if (loss.isEmpty()) {
                done.complete(null);
            } else {
                done.completeExceptionally(new LeaseLostException(loss.get()));
            }
        }));
        return done;
    }

    private Outcome<Optional<LeaseLoss>> leave() {
        Hold.Left left = hold.leave(true);
        if (left.isLost()) {
            state.set(State.LEFT_LOST);
            engine.callbacks(lockName()).run(this::tellLoss);
        } else {
            state.set(State.LEFT_CLEANLY);
        }
        return engine.left(hold, left);
    }
}
