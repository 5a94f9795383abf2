// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.Lease;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.acquire.DeferredTypes;
import io.boltwork.spring.acquire.TakenLock;
import io.boltwork.spring.operation.LockMethod;
import io.boltwork.spring.operation.LockStep;
import io.boltwork.spring.operation.LockSteps;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;

/*
 * If the declared type, such as Object or T, does not say whether the work has ended, the returned object decides:
 *
 *   a stage              the lock is held until it completes
 *   a reactive type      nothing has been done yet: each subscription acquires the lock
 *   a future, a stream.. an error: its end cannot be observed
 */
/** Results of methods whose declared type does not say whether the results come later. Thread-safe. */
final class DeferredResults {
    private static final Log LOG = LogFactory.getLog(DistributedLock.class);

    private final DeferredHolds holds = new DeferredHolds();

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
    Object settle(LockMethod method, LockStep step, Lease lease, @Nullable Object result, MethodInvocation invocation) {
        ReactiveAdapter reactive = result == null ? null : DeferredTypes.reactive(result.getClass());
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
        if (reactive != null) {
            return perSubscription(method, step, reactive, result, invocation);
        }
        Object endless = DeferredTypes.endlessIn(result);
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
            LOG.warn("@DistributedLock on " + step.operation().where()
                    + ": onLost = INTERRUPT interrupts the thread that called the method, although the result comes"
                    + " later. Declare the method to return a CompletableFuture");
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

    private static Object perSubscription(
            LockMethod method, LockStep step, ReactiveAdapter reactive, Object result, MethodInvocation invocation) {
        if (!method.leases().isEmpty()) {
            throw new IllegalStateException("@DistributedLock on "
                    + step.operation().where() + ": the method returned a "
                    + result.getClass().getName()
                    + ". Each of its subscriptions has its own lease, which is not the one that was passed to the"
                    + " method. Declare the method to return a Mono or a Flux");
        }
        AsyncLocking locking = new AsyncLocking(
                method, new LockSteps(List.of(step), Map.of()), ((ProxyMethodInvocation) invocation).invocableClone());
        return ReactiveLocking.publisher(locking, reactive, (held, endings) -> result);
    }

    private static IllegalStateException unknownEnd(LockStep step, Object endless) {
        if (endless instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.debug("Could not close a result that was not passed on", e);
            }
        }
        return new IllegalStateException(
                "@DistributedLock on " + step.operation().where() + ": the method returned a "
                        + endless.getClass().getName()
                        + ", whose end cannot be observed, so the lock cannot be held until then. Return a"
                        + " CompletableFuture, a Mono, a Flux, or the computed value");
    }
}
