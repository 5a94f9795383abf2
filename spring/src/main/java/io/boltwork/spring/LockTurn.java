package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    /** The same without a thread; completes with {@code null} if refused. */
    CompletableFuture<@Nullable Lease> takeAsync() {
        return observed.takeAsync(operation.group(), lock, operation.waitFor());
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
