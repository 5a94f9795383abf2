package io.boltwork.spring;

import io.boltwork.Lease;
import io.boltwork.LockOptions.OnLoss;
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
 * What a method returns decides where its declared type, such as Object or T, does not say whether the work has ended:
 *
 *   a stage              the lock is held until it completes
 *   a reactive type      nothing has been done yet: each subscription takes the lock
 *   a future, a stream.. an error: the end of it cannot be told
 */
/** Results of methods whose declared type does not say whether they come later. Thread-safe. */
final class LaterResults {
    private static final Log LOG = LogFactory.getLog(DistributedLock.class);

    private final LaterHolds holds = new LaterHolds();

    /** Takes the lock; {@code null} if refused. */
    LockTurn.@Nullable Hold take(LockTurn turn, boolean byHandle) throws InterruptedException {
        if (!holds.isAllLater(turn.lock())) {
            return turn.take(byHandle);
        }
        Lease lease = turn.takeDetached();
        return lease == null ? null : new LockTurn.Hold(turn.lock(), lease);
    }

    /** Gives the lock back when what the method has returned has ended, and returns what the caller gets. */
    @Nullable
    Object settle(LockMethod method, LockTurn turn, Lease lease, @Nullable Object result, MethodInvocation invocation) {
        ReactiveAdapter reactive = result == null ? null : LaterTypes.reactive(result.getClass());
        if (result instanceof CompletionStage<?> stage && !isComplete(stage)) {
            return later(method, turn, lease, stage);
        }
        boolean ended = TransactionBoundary.takes(method, turn, lease, null);
        if (!ended) {
            turn.release(new LockTurn.Hold(turn.lock(), lease));
        }
        if (result == null || result instanceof CompletionStage<?>) {
            return result;
        }
        if (reactive != null) {
            return perSubscription(method, turn, reactive, result, invocation);
        }
        Object endless = LaterTypes.endlessIn(result);
        if (endless != null) {
            throw unknownEnd(turn, endless);
        }
        return result;
    }

    private static boolean isComplete(CompletionStage<?> stage) {
        return stage instanceof CompletableFuture<?> future && future.isDone();
    }

    private Object later(LockMethod method, LockTurn turn, Lease lease, CompletionStage<?> stage) {
        Runnable counted = holds.begin(turn.lock());
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        if (turn.operation().options().onLoss() == OnLoss.INTERRUPT) {
            LOG.warn("@DistributedLock on " + turn.operation().where()
                    + ": onLost = INTERRUPT interrupts the thread that has"
                    + " called the method, although the result comes later; declare the method to return a"
                    + " CompletableFuture");
        }
        if (TransactionBoundary.takes(method, turn, lease, stage)) {
            stage.whenComplete((value, failure) -> counted.run());
            return stage;
        }
        stage.whenComplete((value, failure) -> holds.end(counted, () -> turn.releaseAsync(lease))
                .whenComplete((nothing, loss) -> {
                    if (failure != null) {
                        result.completeExceptionally(AsyncLocking.unwrapped(failure));
                    } else if (loss != null) {
                        result.completeExceptionally(AsyncLocking.unwrapped(loss));
                    } else {
                        result.complete(value);
                    }
                }));
        // a type of its own may be what the caller expects: it completes a moment before the lock is given back
        return stage.getClass() == CompletableFuture.class ? result : stage;
    }

    private static Object perSubscription(
            LockMethod method, LockTurn turn, ReactiveAdapter reactive, Object result, MethodInvocation invocation) {
        if (!method.leases().isEmpty()) {
            throw new IllegalStateException("@DistributedLock on "
                    + turn.operation().where() + ": it has returned a "
                    + result.getClass().getName() + ", whose subscriptions each have a lease of their own, but has been"
                    + " given another one; declare the method to return a Mono or a Flux");
        }
        AsyncLocking locking = new AsyncLocking(
                method, new LockTurns(List.of(turn), Map.of()), ((ProxyMethodInvocation) invocation).invocableClone());
        return ReactiveLocking.publisher(locking, reactive, held -> result);
    }

    private static IllegalStateException unknownEnd(LockTurn turn, Object endless) {
        if (endless instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.debug("A result that was not passed on could not be closed", e);
            }
        }
        return new IllegalStateException(
                "@DistributedLock on " + turn.operation().where() + ": it has returned a "
                        + endless.getClass().getName()
                        + ", and it cannot be told when the work of that has ended, so that the lock"
                        + " cannot be held until then; return a CompletableFuture, a Mono, a Flux, or what has been computed");
    }
}
