// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.Lease;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.annotation.acquire.TakenLock;
import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockStep;
import io.boltwork.annotation.operation.LockSteps;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * If the declared type, such as Object or T, does not say whether the work has ended, the returned object decides:
 *
 *   a stage              the lock is held until it completes
 *   a publisher          nothing has been done yet: each subscription acquires the lock
 *   a future, a stream.. an error: its end cannot be observed
 */
/** Results of methods whose declared type does not say whether the results come later. Thread-safe. */
final class DeferredResults {
    private final DeferredHolds holds = new DeferredHolds();
    private final DeferredTypes types;
    private final Supplier<CallerContext> contexts;

    DeferredResults(DeferredTypes types, Supplier<CallerContext> contexts) {
        this.types = types;
        this.contexts = contexts;
    }

    /** Acquires the lock; returns {@code null} if refused. */
    @Nullable
    TakenLock take(LockStep step, boolean byHandle) throws InterruptedException {
        if (!holds.isAllLater(step.target())) {
            return step.take(byHandle);
        }
        Lease lease = step.takeDetached();
        return lease == null ? null : new TakenLock(step.target(), lease);
    }

    /** Releases the lock when the method's result has ended, and returns the result for the caller. */
    @Nullable
    Object settle(LockMethod method, LockStep step, Lease lease, @Nullable Object result, Invocation invocation) {
        if (result instanceof CompletionStage<?> stage && !isComplete(stage)) {
            return later(method, step, lease, stage);
        }
        boolean ended = step.leavesToTransaction(method, lease, null);
        if (!ended) {
            step.release(new TakenLock(step.target(), lease));
        }
        if (result == null || result instanceof CompletionStage<?>) {
            return result;
        }
        if (types.publisher(result.getClass()) instanceof PublisherType publishers) {
            return perSubscription(method, step, publishers, result, invocation);
        }
        Object endless = types.endlessIn(result);
        if (endless != null) {
            throw unknownEnd(step, endless);
        }
        return result;
    }

    private static boolean isComplete(CompletionStage<?> stage) {
        return stage instanceof CompletableFuture<?> future && future.isDone();
    }

    private Object later(LockMethod method, LockStep step, Lease lease, CompletionStage<?> stage) {
        Runnable counted = holds.begin(step.target());
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        if (step.operation().options().onLoss() == OnLoss.INTERRUPT) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "@DistributedLock on {0}: onLost = INTERRUPT interrupts the thread that called the method, although"
                            + " the result comes later. Declare the method to return a CompletableFuture",
                    step.operation().where());
        }
        if (step.leavesToTransaction(method, lease, stage)) {
            stage.whenComplete((value, failure) -> counted.run());
            return stage;
        }
        stage.whenComplete((value, failure) -> holds.end(counted, () -> step.releaseAsync(lease))
                .whenComplete((nothing, loss) -> {
                    if (failure != null) {
                        result.completeExceptionally(AsyncLocking.unwrapped(failure));
                    } else if (loss != null) {
                        result.completeExceptionally(AsyncLocking.unwrapped(loss));
                    } else {
                        result.complete(value);
                    }
                }));
        // If the method returns a subclass, its caller may cast to it. So the caller gets the method's own future,
        // although that completes a moment before the lock is released.
        return stage.getClass() == CompletableFuture.class ? result : stage;
    }

    private Object perSubscription(
            LockMethod method, LockStep step, PublisherType publishers, Object result, Invocation invocation) {
        if (!method.leases().isEmpty()) {
            throw new IllegalStateException("@DistributedLock on "
                    + step.operation().where() + ": the method returned a "
                    + result.getClass().getName()
                    + ". Each of its subscriptions has its own lease, which is not the one that was passed to the"
                    + " method. Declare the method to return " + types.publishers());
        }
        return publishers.publisher(
                new AsyncLocking(method, new LockSteps(List.of(step), Map.of()), invocation, contexts), result);
    }

    private IllegalStateException unknownEnd(LockStep step, Object endless) {
        IllegalStateException unknown = new IllegalStateException(
                "@DistributedLock on " + step.operation().where() + ": the method returned a "
                        + endless.getClass().getName()
                        + ", whose end cannot be observed, so the lock cannot be held until then. Return a"
                        + " CompletableFuture, " + types.publishers().replace(" or ", ", ")
                        + ", or the computed value");
        if (endless instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                unknown.addSuppressed(e);
            }
        }
        return unknown;
    }
}
