package io.boltwork;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The right to release one level of a hold. */
final class LeaseHandle extends LeaseView {

    private final AtomicBoolean released = new AtomicBoolean();

    LeaseHandle(Engine engine, Hold hold) {
        super(engine, hold);
    }

    @Override
    boolean isReleased() {
        return released.get();
    }

    @Override
    public void release() {
        if (released.compareAndSet(false, true)) {
            engine.leaveAndWait(hold, true);
        }
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!released.compareAndSet(false, true)) {
            done.complete(null);
            return done;
        }
        Outcome<Optional<LeaseLoss>> left = engine.leave(hold, true);
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
}
