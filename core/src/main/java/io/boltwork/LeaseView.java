package io.boltwork;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A hold as somebody sees it who has no right to release it. */
class LeaseView implements Lease {

    final Engine engine;
    final Hold hold;

    LeaseView(Engine engine, Hold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    /** Whether this right has been given back. */
    boolean isReleased() {
        return hold.isOver();
    }

    @Override
    public final String lockName() {
        return hold.request.lock;
    }

    @Override
    public final long fencingToken() {
        return hold.token;
    }

    @Override
    public final Duration remaining() {
        return isReleased() ? Duration.ZERO : Duration.ofNanos(hold.remaining());
    }

    @Override
    public final boolean isValid() {
        return !isReleased() && hold.isValid();
    }

    @Override
    public final void ensureValid() {
        LeaseLoss loss = hold.loss();
        if (loss != null) {
            engine.expired(hold);
            throw new LeaseLostException(loss);
        }
        if (isReleased()) {
            throw new IllegalStateException("The lease of the lock '" + lockName() + "' (fencing token "
                    + fencingToken() + ") has been released; nothing protects what follows");
        }
    }

    @Override
    public final CompletionStage<LeaseLoss> whenLost() {
        CompletableFuture<LeaseLoss> future = new CompletableFuture<>();
        hold.whenLost().thenAccept(loss -> {
            if (!isReleased()) {
                future.complete(loss);
            }
        });
        return future;
    }

    @Override
    public void release() {}

    @Override
    public CompletionStage<Void> releaseAsync() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        LeaseLoss loss = hold.loss();
        String state = loss != null
                ? "lost: " + loss.reason()
                : isReleased()
                        ? "released"
                        : Durations.text(Duration.ofMillis(remaining().toMillis())) + " left";
        return "Lease['" + lockName() + "', fencing token " + fencingToken() + ", " + state + "]";
    }
}
