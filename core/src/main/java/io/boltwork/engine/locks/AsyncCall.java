// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.spi.BodyScope;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call under a lock: waits for the lock, begins the body, and releases the lock when the body has
 * ended. If this future is completed from outside, a waiting request is withdrawn, and a body that has begun runs to
 * its end.
 *
 * @param <T> the type of the body's result
 */
public final class AsyncCall<T extends @Nullable Object> extends WithdrawableFuture<T> {

    private final CompletableFuture<Optional<Lease>> turn;
    private final Function<? super Lease, ? extends CompletionStage<T>> body;
    private final Executor callbacks;
    private final @Nullable BodyScope scope = BodyScope.current();

    /** @param turn must not be complete: the thread that completes it begins the body, and must be one for callbacks */
    public AsyncCall(
            CompletableFuture<Optional<Lease>> turn,
            Function<? super Lease, ? extends CompletionStage<T>> body,
            Supplier<LockTimeoutException> refused,
            Executor callbacks) {
        this.turn = turn;
        this.body = body;
        this.callbacks = callbacks;
        if (turn instanceof WithdrawableFuture<Optional<Lease>> request) {
            request.isPartOf(this);
        }
        turn.whenComplete((lease, failure) -> {
            if (failure != null) {
                fail(failure);
            } else if (lease.isEmpty()) {
                fail(refused.get());
            } else {
                runBody(lease.get());
            }
        });
    }

    @Override
    public AsyncCall<T> post() {
        if (turn instanceof WithdrawableFuture<Optional<Lease>> request) {
            request.post();
        }
        return this;
    }

    private void runBody(Lease lease) {
        if (isDone()) { // completed from outside after the lock had been granted
            lease.releaseAsync();
            return;
        }
        CompletionStage<T> result;
        try {
            result = Objects.requireNonNull(
                    BodyScope.call(BodyScope.of(List.of(lease), scope), () -> body.apply(lease)),
                    "body must return a stage, but returned null");
        } catch (Throwable thrown) { // by the user's code; the lock is released all the same
            result = CompletableFuture.failedFuture(thrown);
        }
        result.whenComplete((value, failure) ->
                lease.releaseAsync().whenCompleteAsync((nothing, loss) -> finish(value, failure, loss), callbacks));
    }

    private void finish(T value, @Nullable Throwable failure, @Nullable Throwable loss) {
        if (failure != null) {
            Throwable own =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (loss != null) {
                own.addSuppressed(loss);
            }
            fail(own);
        } else if (loss != null) {
            fail(loss);
        } else {
            fulfil(value);
        }
    }

    @Override
    public void withdraw() {
        turn.cancel(true);
    }
}
