// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.spi.BodyScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of a request. If it is completed from outside, by a cancellation, a timeout or a value, {@link #withdraw}
 * is called at once.
 *
 * @param <T> the type of the result
 */
public abstract class WithdrawableFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    /** The future that the caller gets instead of this one; {@code null} if this is it. */
    private volatile @Nullable CompletableFuture<?> call;

    /** Sets the future that the caller gets, of which this one is a part. */
    final void isPartOf(CompletableFuture<?> wholeCall) {
        call = wholeCall;
    }

    /** Begins to wait. The result is completed on the client's executor, never by this call. Must be called once. */
    public abstract WithdrawableFuture<T> post();

    /** Returns the scope of a request that is made now; {@code null} outside of all bodies. */
    public final @Nullable BodyScope scope() {
        BodyScope current = BodyScope.current();
        return current == null ? null : current.withResult(() -> current.isAwaited() && isAwaited());
    }

    /** Returns whether any code waits for the result now. */
    private boolean isAwaited() {
        CompletableFuture<?> seen = call;
        return (seen == null ? this : seen).getNumberOfDependents() > 0;
    }

    /**
     * Withdraws the request. Called when the future was completed from outside, so it can no longer take the result.
     */
    public abstract void withdraw();

    /** Returns the exception that a future has failed with. */
    public static Throwable failureOf(CompletableFuture<?> failed) {
        try {
            failed.join();
        } catch (RuntimeException failure) {
            return failure.getCause() == null ? failure : failure.getCause();
        }
        throw new IllegalStateException("it has not failed");
    }

    /** Completes the future with the result. Returns whether the future took it. */
    public final boolean fulfil(T value) {
        return super.complete(value);
    }

    /** Completes the future with the failure of the request. */
    public final void fail(Throwable failure) {
        super.completeExceptionally(failure);
    }

    private boolean ended(boolean completed) {
        if (completed) {
            withdraw();
        }
        return completed;
    }

    @Override
    public final boolean complete(T value) {
        return ended(super.complete(value));
    }

    @Override
    public final boolean completeExceptionally(Throwable failure) {
        return ended(super.completeExceptionally(failure));
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        boolean open = !isDone();
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        ended(open && cancelled);
        return cancelled;
    }

    @Override
    public final CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
            }
        });
        return this;
    }

    @Override
    public final void obtrudeValue(T value) {
        super.obtrudeValue(value);
        withdraw();
    }

    @Override
    public final void obtrudeException(Throwable failure) {
        super.obtrudeException(failure);
        withdraw();
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
