package io.boltwork;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A hold as somebody sees it who has no right to release it. */
class LeaseView implements Lease {

    final Engine engine;
    final Hold hold;
    private final AtomicReference<@Nullable CompletableFuture<LeaseLoss>> lossFuture = new AtomicReference<>();

    LeaseView(Engine engine, Hold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    /** Whether this right has been given back, cleanly or after a loss. */
    boolean isReleased() {
        return hold.isOver();
    }

    /** What happened to the hold, unless this right had been given back before. */
    @Nullable
    LeaseLoss loss() {
        return hold.loss();
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
        LeaseLoss loss = loss();
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
        CompletableFuture<LeaseLoss> known = lossFuture.get();
        if (known == null) {
            CompletableFuture<LeaseLoss> fresh = new CompletableFuture<>();
            if (lossFuture.compareAndSet(null, fresh)) {
                hold.whenLost().thenRun(this::tellLoss);
            }
            known = Objects.requireNonNull(lossFuture.get());
        }
        return known.copy(); // what a user does to it is his own affair
    }

    /** Completes {@link #whenLost()} if there is something to tell. */
    final void tellLoss() {
        CompletableFuture<LeaseLoss> future = lossFuture.get();
        LeaseLoss loss = loss();
        if (future != null && loss != null) {
            future.complete(loss);
        }
    }

    @Override
    public void release() {}

    @Override
    public CompletionStage<Void> releaseAsync() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        LeaseLoss loss = loss();
        String state = loss != null
                ? "lost: " + loss.reason()
                : isReleased()
                        ? "released"
                        : Durations.text(Duration.ofMillis(remaining().toMillis())) + " left";
        return "Lease['" + lockName() + "', fencing token " + fencingToken() + ", " + state + "]";
    }
}
