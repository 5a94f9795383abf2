// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockTarget;
import io.boltwork.annotation.acquire.TakenLock;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.text.LockCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call. The name of the lock is computed once, here. Immutable.
 *
 * @param operation the parsed annotation
 * @param client the client that provides the lock
 * @param target the lock
 * @param call the call, for expressions
 * @param observed the observations of the wait
 * @param hooks the application's beans that see the call
 * @param transactions the framework's transactions
 */
public record LockStep(
        LockOperation operation,
        LockClient client,
        LockTarget target,
        LockCall call,
        LockObservations observed,
        LockHooks hooks,
        TransactionBoundary transactions) {

    /** Returns this step for an owner. The thread that is interrupted by a loss can only be the owner itself. */
    public LockStep ownedBy(@Nullable LockOwner owner) {
        return owner == null || operation.options().onLoss() == LockOptions.OnLoss.INTERRUPT
                ? this
                : new LockStep(operation, client, target.ownedBy(owner), call, observed, hooks, transactions);
    }

    /** Waits for the lock; returns {@code null} if refused. */
    @Nullable
    public TakenLock take(boolean byHandle) throws InterruptedException {
        TakenLock taken = observed.take(operation.group(), target, operation.waitFor(), byHandle);
        return taken == null ? null : taken.watch(operation.options());
    }

    /**
     * Waits for a hold that belongs to no thread, so that this thread does not reenter a hold that it has; returns
     * {@code null} if refused.
     */
    @Nullable
    public Lease takeDetached() throws InterruptedException {
        CompletableFuture<@Nullable Lease> taken = new CompletableFuture<>();
        Runnable withdraw = takeAsync((lease, failure) -> {
            if (failure != null) {
                taken.completeExceptionally(failure);
            } else if (!taken.complete(lease) && lease != null) { // interrupted in the meantime
                lease.releaseAsync();
            }
        });
        try {
            return taken.get();
        } catch (InterruptedException e) {
            withdraw.run();
            if (!taken.cancel(false) && !taken.isCompletedExceptionally()) {
                Lease late = taken.join();
                if (late != null) {
                    late.releaseAsync();
                }
            }
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException own ? own : new IllegalStateException(e.getCause());
        }
    }

    /**
     * Requests the lock without blocking. The answer arrives on the client's callback executor: the hold, {@code null}
     * if refused, or a failure.
     *
     * @return an action that withdraws the request
     */
    public Runnable takeAsync(BiConsumer<@Nullable Lease, @Nullable Throwable> answer) {
        return observed.takeAsync(operation.group(), target, operation.waitFor(), (lease, failure) -> {
            if (lease != null) {
                new TakenLock(target, lease).watch(operation.options());
            }
            answer.accept(lease, failure);
        });
    }

    public BoundHold.Source source() {
        return new BoundHold.Source("@DistributedLock on " + operation.where(), operation.ignoreLoss());
    }

    /**
     * Returns whether a transaction of the method's caller releases the lease, after {@code later} if there is such a
     * stage.
     */
    public boolean leavesToTransaction(LockMethod method, Lease lease, @Nullable CompletionStage<?> later) {
        return !method.apart() && transactions.takes(new BoundHold(target, lease, source(), later));
    }

    public boolean skips() {
        return operation.mode() == LockMode.SKIP;
    }

    LockRefusedException refusal() {
        return operation.refusal(target.name(), call);
    }

    /** Releases the lock after the method has ended. Throws if the hold had been lost, unless losses are ignored. */
    public void release(TakenLock hold) {
        try {
            hold.release();
        } catch (LeaseLostException lost) {
            if (!operation.ignoreLoss()) {
                throw lost;
            }
            ignored(lost);
        }
    }

    /** Releases the lock without blocking, with the same rule for losses. */
    public CompletionStage<Void> releaseAsync(Lease lease) {
        return operation.ignoreLoss()
                ? lease.releaseAsync().exceptionally(lost -> {
                    ignored(lost);
                    return null;
                })
                : lease.releaseAsync();
    }

    private void ignored(Throwable lost) {
        LOG.log(
                System.Logger.Level.DEBUG,
                "{0}: a lost lease is ignored (onLost = IGNORE): {1}",
                operation.where(),
                lost.getMessage());
    }
}
