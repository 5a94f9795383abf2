// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.annotation.acquire.LockObserver.Observed;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Acquires locks, and tells an observer how long that takes. Thread-safe. */
public final class LockObservations {
    /** A duration that is too long for a number of nanoseconds in a long. */
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final LockObserver observer;
    private final LockGroups groups;

    public LockObservations(LockObserver observer, LockGroups groups) {
        this.observer = observer;
        this.groups = groups;
    }

    public LockObservations with(LockObserver newObserver) {
        return new LockObservations(newObserver, groups);
    }

    /**
     * Acquires a lock. Waits without a limit if {@code wait} is {@code null}. Returns {@code null} if refused.
     *
     * @param group the declared group; {@code null} to derive it from the lock's name
     */
    @Nullable
    public TakenLock take(@Nullable String group, LockTarget target, @Nullable Duration wait, boolean byHandle)
            throws InterruptedException {
        Observed observation = observer.begin(group(group, target), target);
        if (observation == null) {
            return target.take(wait, byHandle);
        }
        TakenLock hold;
        try {
            hold = target.take(wait, byHandle);
        } catch (Throwable failure) {
            observation.end(false, failure);
            throw failure;
        }
        try {
            observation.end(hold != null, null);
        } catch (RuntimeException handler) { // thrown by a handler of the application
            if (hold != null) {
                hold.release();
            }
            throw handler;
        }
        return hold;
    }

    private String group(@Nullable String group, LockTarget target) {
        return group == null ? groups.find(target.name()) : groups.declare(target.name(), group);
    }

    /**
     * Requests a lock without blocking. The hold is delivered on the client's callback executor, never on this thread,
     * even if the lock is free.
     *
     * @return an action that withdraws the request
     */
    public Runnable takeAsync(
            @Nullable String group,
            LockTarget target,
            @Nullable Duration wait,
            BiConsumer<@Nullable Lease, @Nullable Throwable> answer) {
        Answer once = new Answer(observer.begin(group(group, target), target), answer);
        CompletableFuture<?> asked;
        try {
            asked = target.callAsync(wait == null ? FOR_EVER : wait, once::granted)
                    .toCompletableFuture();
        } catch (RuntimeException wrong) { // not possible with these options
            once.denied(wrong);
            return () -> {};
        }
        asked.whenComplete((nothing, failure) -> once.denied(failure instanceof LockTimeoutException ? null : failure));
        return () -> asked.cancel(true);
    }

    /**
     * The one answer to a request. The grant and the withdrawal of the request race for it: a grant that comes second
     * gives its lease back. Otherwise the receiver of the answer must release the lease.
     */
    private static final class Answer {
        private final @Nullable Observed observation;
        private final BiConsumer<@Nullable Lease, @Nullable Throwable> receiver;
        private final AtomicBoolean given = new AtomicBoolean();

        Answer(@Nullable Observed observation, BiConsumer<@Nullable Lease, @Nullable Throwable> receiver) {
            this.observation = observation;
            this.receiver = receiver;
        }

        /** Passes the lease on. The lease is released when the returned stage completes. */
        CompletionStage<@Nullable Void> granted(Lease lease) {
            return give(lease, null) ? new CompletableFuture<>() : CompletableFuture.completedFuture(null);
        }

        void denied(@Nullable Throwable failure) {
            give(null, failure);
        }

        /** Gives the answer unless one was given. Returns whether the receiver now has the lease. */
        private boolean give(@Nullable Lease lease, @Nullable Throwable failure) {
            if (!given.compareAndSet(false, true)) {
                return false;
            }
            try {
                if (observation != null) {
                    observation.end(lease != null, failure);
                }
            } catch (RuntimeException handler) { // thrown by a handler of the application
                receiver.accept(null, failure == null ? handler : failure);
                return false;
            }
            receiver.accept(lease, failure);
            return true;
        }
    }
}
