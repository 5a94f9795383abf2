package io.boltwork.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gets of work under locks that are taken without a thread. If it completes before the work has ended, because it
 * is cancelled or its time is over, what has not begun is withdrawn and never begins; what has begun holds its locks to its own
 * end.
 *
 * @param <T> what is computed
 */
final class AsyncResult<T extends @Nullable Object> extends CompletableFuture<T> {
    private final AtomicBoolean decided = new AtomicBoolean();

    /** {@code taking} is cancelled if the work is never to begin. */
    AsyncResult(CompletableFuture<?> taking) {
        whenComplete((value, failure) -> {
            if (decided.compareAndSet(false, true)) {
                taking.cancel(true);
            }
        });
    }

    /** Returns whether the work begins now; else it never does. */
    boolean begin() {
        return !isDone() && decided.compareAndSet(false, true);
    }

    /** Completes it as the work and the release of its locks have ended. */
    void end(T value, @Nullable Throwable failure, @Nullable Throwable loss) {
        Throwable lost = loss == null ? null : AsyncLocking.unwrapped(loss);
        if (failure != null) {
            Throwable own = AsyncLocking.unwrapped(failure);
            if (lost != null) {
                own.addSuppressed(lost);
            }
            completeExceptionally(own);
        } else if (lost != null) {
            completeExceptionally(lost);
        } else {
            complete(value);
        }
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
