package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.spring.LockTurn.Hold;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/*
 * One observation, boltwork.lock.acquire, from the wish to the answer: what it takes to do something under the lock is seen by
 * whoever observes that. Without a registry it costs nothing.
 */
/** Takes locks, and lets Micrometer see how long that takes. Thread-safe. */
final class LockObservations {
    static final String NAME = "boltwork.lock.acquire";
    static final LockObservations NONE = new LockObservations(ObservationRegistry.NOOP);

    private final ObservationRegistry registry;

    LockObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Waits for ever if {@code wait} is {@code null}; {@code null} if refused. */
    @Nullable
    Hold take(String group, FencedLock lock, @Nullable Duration wait, boolean byHandle) throws InterruptedException {
        if (registry.isNoop()) {
            return plainTake(lock, wait, byHandle);
        }
        Observation observation = start(group, lock);
        try {
            Hold hold = plainTake(lock, wait, byHandle);
            outcome(observation, hold, null);
            return hold;
        } catch (Throwable failure) {
            outcome(observation, null, failure);
            throw failure;
        } finally {
            observation.stop();
        }
    }

    private static @Nullable Hold plainTake(FencedLock lock, @Nullable Duration wait, boolean byHandle)
            throws InterruptedException {
        if (byHandle) {
            Lease lease = wait == null
                    ? lock.acquireInterruptibly()
                    : lock.tryAcquire(wait).orElse(null);
            return lease == null ? null : new Hold(lock, lease);
        }
        if (wait == null) {
            lock.lockInterruptibly();
        } else if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS)) {
            return null;
        }
        return new Hold(lock, null);
    }

    /** Does not block; cancelling the result withdraws the request. */
    CompletableFuture<@Nullable Lease> takeAsync(String group, FencedLock lock, @Nullable Duration wait) {
        Observation observation = registry.isNoop() ? null : start(group, lock);
        CompletableFuture<? extends @Nullable Object> asked = wait == null
                ? lock.acquireAsync().toCompletableFuture()
                : lock.tryAcquireAsync(wait).toCompletableFuture();
        AsyncTurn turn = new AsyncTurn(asked);
        asked.whenComplete((answer, failure) -> {
            Lease lease = answer instanceof Optional<?> maybe ? (Lease) maybe.orElse(null) : (Lease) answer;
            if (observation != null) {
                outcome(observation, lease, failure);
                observation.stop();
            }
            boolean taken = failure == null ? turn.complete(lease) : turn.completeExceptionally(failure);
            if (!taken && lease != null) { // cancelled meanwhile
                lease.releaseAsync();
            }
        });
        return turn;
    }

    /** Passes its cancellation on. */
    private static final class AsyncTurn extends CompletableFuture<@Nullable Lease> {
        private final CompletableFuture<?> asked;

        AsyncTurn(CompletableFuture<?> asked) {
            this.asked = asked;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            asked.cancel(mayInterruptIfRunning);
            return cancelled;
        }
    }

    private Observation start(String group, FencedLock lock) {
        return Observation.createNotStarted(NAME, registry)
                .contextualName("lock " + group)
                .lowCardinalityKeyValue("group", group)
                .highCardinalityKeyValue("name", lock.name())
                .start();
    }

    private static void outcome(Observation observation, @Nullable Object taken, @Nullable Throwable failure) {
        String outcome = failure == null ? (taken == null ? "refused" : "granted") : "failed";
        observation.lowCardinalityKeyValue("outcome", outcome);
        if (failure != null) {
            observation.error(failure);
        }
    }
}
