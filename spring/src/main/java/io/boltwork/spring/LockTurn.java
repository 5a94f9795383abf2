package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call: its name is computed once, here. Immutable.
 *
 * @param operation what the annotation says
 * @param lock the lock
 * @param call the call, for expressions
 * @param observed who observes the waiting
 */
record LockTurn(LockOperation operation, FencedLock lock, LockCall call, LockObservations observed) {
    private static final Log LOG = LogFactory.getLog(DistributedLock.class);

    /**
     * What was taken, by this thread or by a handle; the latter costs more, and any thread may give it back.
     *
     * @param lock the lock
     * @param lease the handle, if there is one
     */
    record Hold(FencedLock lock, @Nullable Lease lease) {

        /** Throws if it had been lost. */
        void release() {
            if (lease == null) {
                lock.unlock();
            } else {
                lease.release();
            }
        }
    }

    /** Waits; {@code null} if refused. */
    @Nullable
    Hold take(boolean byHandle) throws InterruptedException {
        return observed.take(operation.group(), lock, operation.waitFor(), byHandle);
    }

    /** Waits for a hold that is no thread's, so that this thread does not enter one that it has; {@code null} if refused. */
    @Nullable
    Lease takeDetached() throws InterruptedException {
        CompletableFuture<@Nullable Lease> taken = new CompletableFuture<>();
        Runnable withdraw = takeAsync((lease, failure) -> {
            if (failure != null) {
                taken.completeExceptionally(failure);
            } else if (!taken.complete(lease) && lease != null) { // interrupted meanwhile
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
     * Asks for the lock without a thread. The answer comes on the client's callback executor: the hold, or {@code null} if
     * refused, or a failure.
     *
     * @return withdraws the request
     */
    Runnable takeAsync(BiConsumer<@Nullable Lease, @Nullable Throwable> answer) {
        return observed.takeAsync(operation.group(), lock, operation.waitFor(), answer);
    }

    boolean skips() {
        return operation.mode() == LockMode.SKIP;
    }

    LockRefusedException refusal() {
        return operation.refusal(lock.name(), call);
    }

    /** Gives the lock back after the method has ended; throws if it had been lost, unless that is nobody's business. */
    void release(Hold hold) {
        try {
            hold.release();
        } catch (LeaseLostException lost) {
            if (!operation.ignoreLoss()) {
                throw lost;
            }
            ignored(lost);
        }
    }

    /** The same without waiting. */
    CompletionStage<Void> releaseAsync(Lease lease) {
        return operation.ignoreLoss()
                ? lease.releaseAsync().exceptionally(lost -> {
                    ignored(lost);
                    return null;
                })
                : lease.releaseAsync();
    }

    private void ignored(Throwable lost) {
        LOG.debug(operation.where() + " goes on although " + lost.getMessage());
    }
}
