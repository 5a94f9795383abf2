package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.spi.Printable;
import io.boltwork.spring.LockTurn.Hold;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/*
 * One observation, boltwork.lock.acquire, from the wish to the answer: what it takes to do something under the lock is seen by
 * whoever observes that. Without a registry it costs nothing.
 */
/** Takes locks, and lets Micrometer see how long that takes. Thread-safe. */
final class LockObservations {
    static final String NAME = "boltwork.lock.acquire";

    /** More centuries than nanoseconds can count. */
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final ObservationRegistry registry;
    private final LockGroups groups;

    LockObservations(ObservationRegistry registry, LockGroups groups) {
        this.registry = registry;
        this.groups = groups;
    }

    LockObservations with(ObservationRegistry newRegistry) {
        return new LockObservations(newRegistry, groups);
    }

    /**
     * Takes a lock. Waits for ever if {@code wait} is {@code null}; {@code null} if refused.
     *
     * @param group the declared group; {@code null} for the one that the lock's name has
     */
    @Nullable
    Hold take(@Nullable String group, FencedLock lock, @Nullable Duration wait, boolean byHandle)
            throws InterruptedException {
        String bounded = group(group, lock);
        if (registry.isNoop()) {
            return plainTake(lock, wait, byHandle);
        }
        Observation observation = start(bounded, lock);
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

    private String group(@Nullable String group, FencedLock lock) {
        return group == null ? groups.find(lock.name()) : groups.declare(lock.name(), group);
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

    /**
     * Does not block. A hold is told on the client's callback executor, and never by this thread, even if the lock is free.
     *
     * @return withdraws the request
     */
    Runnable takeAsync(
            @Nullable String group,
            FencedLock lock,
            @Nullable Duration wait,
            BiConsumer<@Nullable Lease, @Nullable Throwable> answer) {
        String bounded = group(group, lock);
        Observation observation = registry.isNoop() ? null : start(bounded, lock);
        AtomicBoolean told = new AtomicBoolean();
        BiConsumer<@Nullable Lease, @Nullable Throwable> once = (lease, failure) -> {
            if (told.compareAndSet(false, true)) {
                if (observation != null) {
                    outcome(observation, lease, failure);
                    observation.stop();
                }
                answer.accept(lease, failure);
            }
        };
        // its body is called on the executor; it never ends, because the hold is given back by its lease
        CompletableFuture<?> asked;
        try {
            asked = lock.callAsync(wait == null ? FOR_EVER : wait, lease -> {
                        once.accept(lease, null);
                        return new CompletableFuture<Void>();
                    })
                    .toCompletableFuture();
        } catch (RuntimeException wrong) { // not with these options
            once.accept(null, wrong);
            return () -> {};
        }
        asked.whenComplete((nothing, failure) -> {
            boolean refused = failure instanceof LockTimeoutException;
            once.accept(null, refused ? null : failure);
        });
        return () -> asked.cancel(true);
    }

    private Observation start(String group, FencedLock lock) {
        return Observation.createNotStarted(NAME, registry)
                .contextualName("lock " + group)
                .lowCardinalityKeyValue("group", group)
                .highCardinalityKeyValue("name", Printable.text(lock.name()))
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
