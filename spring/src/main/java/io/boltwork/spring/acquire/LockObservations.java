// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.spi.Printable;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/*
 * There is one observation, boltwork.lock.acquire, from the request to the answer. The work under the lock can be
 * observed by the code that does it. Without a registry, observations cost nothing.
 */
/** Acquires locks, and reports to Micrometer how long that takes. Thread-safe. */
public final class LockObservations {
    public static final String NAME = "boltwork.lock.acquire";

    /** A duration that is too long for a number of nanoseconds in a long. */
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final ObservationRegistry registry;
    private final LockGroups groups;

    public LockObservations(ObservationRegistry registry, LockGroups groups) {
        this.registry = registry;
        this.groups = groups;
    }

    public LockObservations with(ObservationRegistry newRegistry) {
        return new LockObservations(newRegistry, groups);
    }

    /**
     * Acquires a lock. Waits without a limit if {@code wait} is {@code null}. Returns {@code null} if refused.
     *
     * @param group the declared group; {@code null} to derive it from the lock's name
     */
    @Nullable
    public TakenLock take(@Nullable String group, LockTarget target, @Nullable Duration wait, boolean byHandle)
            throws InterruptedException {
        String bounded = group(group, target);
        if (registry.isNoop()) {
            return target.take(wait, byHandle);
        }
        Observation observation = start(bounded, target);
        TakenLock hold;
        try {
            hold = target.take(wait, byHandle);
        } catch (Throwable failure) {
            end(observation, null, failure);
            throw failure;
        }
        try {
            end(observation, hold, null);
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
        String bounded = group(group, target);
        Answer once = new Answer(registry.isNoop() ? null : start(bounded, target), answer);
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
        private final @Nullable Observation observation;
        private final BiConsumer<@Nullable Lease, @Nullable Throwable> receiver;
        private final AtomicBoolean given = new AtomicBoolean();

        Answer(@Nullable Observation observation, BiConsumer<@Nullable Lease, @Nullable Throwable> receiver) {
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
                    end(observation, lease, failure);
                }
            } catch (RuntimeException handler) { // thrown by a handler of the application
                receiver.accept(null, failure == null ? handler : failure);
                return false;
            }
            receiver.accept(lease, failure);
            return true;
        }
    }

    private Observation start(String group, LockTarget target) {
        return Observation.createNotStarted(NAME, registry)
                .contextualName("lock " + group)
                .lowCardinalityKeyValue("group", group)
                .lowCardinalityKeyValue("kind", target.kind().tag())
                .highCardinalityKeyValue("name", Printable.text(target.name()))
                .start();
    }

    private static void end(Observation observation, @Nullable Object taken, @Nullable Throwable failure) {
        String outcome = failure == null ? (taken == null ? "refused" : "granted") : "failed";
        observation.lowCardinalityKeyValue("outcome", outcome);
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }
}
