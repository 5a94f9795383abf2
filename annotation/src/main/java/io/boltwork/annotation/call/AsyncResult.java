// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.spi.BodyScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The result of work under locks that are acquired without blocking a thread. The result may complete before the work
 * has ended, because it is cancelled or times out. In that case, work that has not started is withdrawn and never
 * starts; work that has started keeps its locks until it ends.
 *
 * @param <T> the type of the result
 */
public final class AsyncResult<T extends @Nullable Object> extends CompletableFuture<T> {
    private final AtomicBoolean decided = new AtomicBoolean();

    /** Cancels {@code taking} if the work never starts. */
    public AsyncResult(CompletableFuture<?> taking) {
        whenComplete((value, failure) -> {
            if (decided.compareAndSet(false, true)) {
                taking.cancel(true);
            }
        });
    }

    /** Makes the first request for the work. Reports of deadlocks leave it out while no code waits for this result. */
    public <R> R request(Supplier<R> request) {
        BodyScope around = EnteredLock.scope();
        // one dependent is that of the constructor
        return BodyScope.call(around == null ? null : around.withResult(() -> getNumberOfDependents() > 1), request);
    }

    /** Returns whether the work may start now. If not, it never starts. */
    public boolean begin() {
        return !isDone() && decided.compareAndSet(false, true);
    }

    /** Completes this result after the work has ended and its locks have been released. */
    public void end(T value, @Nullable Throwable failure, @Nullable Throwable loss) {
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
