// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.LockTarget;
import io.boltwork.annotation.acquire.TakenLock;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.call.AsyncResult;
import io.boltwork.annotation.call.CallerContext;
import io.boltwork.spi.Printable;
import io.boltwork.spring.acquire.MicrometerObserver;
import io.boltwork.spring.acquire.SpringTransactions;
import io.boltwork.spring.call.CapturedContext;
import io.boltwork.spring.call.ReactiveTypes;
import io.boltwork.spring.properties.BoltworkProperties;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes code under a lock, a read-write lock or a semaphore. Immutable and thread-safe: the {@code with} methods
 * return new templates.
 *
 * <!-- snippet: spring/Purchases.java#template -->
 * <pre>{@code
 * return locks.withWait(Duration.ofSeconds(2)).execute("stock:" + item, lease -> {
 *     return stock.decrease(item, lease.fencingToken()) > 0;
 * });
 * }</pre>
 *
 * <p>By default, a template waits for the lock without a limit. An interrupt ends the wait. A {@link
 * LockRefusedException} means that another owner held the lock for the whole time; an {@link
 * io.boltwork.BackendException} means that the backend did not answer. In both cases nothing was executed. If the lease
 * was lost before the callback ended, a {@link LeaseLostException} is thrown, or is added as suppressed to the
 * exception that the callback threw.
 *
 * <p>If a transaction of Spring is active when an action ends, the lock is released when that transaction has
 * completed, because other holders do not see the action's changes before. The transaction is rolled back if the lease
 * has been lost by then. {@link #withReleaseBeforeCommit()} releases the lock with the action instead, as permits of
 * semaphores always are.
 *
 * @since 0.1.0
 */
public final class LockTemplate {
    private static final BoundHold.Source SOURCE = new BoundHold.Source("LockTemplate", false);

    private final LockClient client;
    private final TargetType type;
    private final LockOptions options;
    private final @Nullable Duration wait;
    private final @Nullable String group;
    private final LockObservations observations;
    private final boolean beforeCommit;

    /**
     * Creates a template that waits without a limit and uses the default lock options.
     *
     * @param client the client that provides the locks
     */
    public LockTemplate(LockClient client) {
        this(client, new LockGroups(BoltworkProperties.Metrics.MAX_GROUPS, List.of()));
    }

    /**
     * Creates a template that shares its groups with the meters, as the starter does.
     *
     * @param client the client that provides the locks
     * @param groups the groups of the meters
     */
    public LockTemplate(LockClient client, LockGroups groups) {
        this(
                Objects.requireNonNull(client, "client"),
                TargetType.LOCK,
                LockOptions.defaults(),
                null,
                null,
                new LockObservations(LockObserver.NONE, groups),
                false);
    }

    private LockTemplate(
            LockClient client,
            TargetType type,
            LockOptions options,
            @Nullable Duration wait,
            @Nullable String group,
            LockObservations observations,
            boolean beforeCommit) {
        this.client = client;
        this.type = type;
        this.options = options;
        this.wait = wait;
        this.group = group;
        this.observations = observations;
        this.beforeCommit = beforeCommit;
    }

    /**
     * Returns a template with other lock options.
     *
     * @param newOptions the options of the locks
     * @return a new template
     */
    public LockTemplate withOptions(LockOptions newOptions) {
        return new LockTemplate(
                client,
                type,
                Objects.requireNonNull(newOptions, "newOptions"),
                wait,
                group,
                observations,
                beforeCommit);
    }

    /**
     * Returns a template that acquires read locks, as {@link LockType#READ} does.
     *
     * @return a new template
     */
    public LockTemplate withReadLock() {
        return new LockTemplate(client, TargetType.READ, options, wait, group, observations, beforeCommit);
    }

    /**
     * Returns a template that acquires write locks, as {@link LockType#WRITE} does.
     *
     * @return a new template
     */
    public LockTemplate withWriteLock() {
        return new LockTemplate(client, TargetType.WRITE, options, wait, group, observations, beforeCommit);
    }

    /**
     * Returns a template that acquires one permit of a semaphore for each action, as {@link
     * io.boltwork.annotation.DistributedLock#permits()}
     * does. Its options must not interrupt the holder's thread when a lease is lost: no thread holds a permit.
     * A caller's transaction does not keep the permit: it is released when the action has ended.
     *
     * @param permits the total number of permits, 1 or more
     * @return a new template
     * @throws IllegalArgumentException if the number is not positive
     */
    public LockTemplate withPermits(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, but is " + permits);
        }
        return new LockTemplate(
                client, TargetType.semaphore(permits), options, wait, group, observations, beforeCommit);
    }

    /**
     * Returns a template that waits for a limited time.
     *
     * @param newWait the maximum time to wait; zero or negative means not to wait
     * @return a new template
     */
    public LockTemplate withWait(Duration newWait) {
        return new LockTemplate(
                client, type, options, Objects.requireNonNull(newWait, "newWait"), group, observations, beforeCommit);
    }

    /**
     * Returns a template whose waiting is observed, as {@code boltwork.lock.acquire}.
     *
     * @param registry the registry for the observations
     * @return a new template
     */
    public LockTemplate withObservations(ObservationRegistry registry) {
        return new LockTemplate(
                client, type, options, wait, group, observations.with(new MicrometerObserver(registry)), beforeCommit);
    }

    /**
     * Returns a template with another group for its locks in meters and observations. Without a group, the text before
     * the first colon or digit of the lock's name is used, and {@code other} if the name has neither.
     *
     * @param newGroup such as {@code stock}; use few different groups
     * @return a new template
     * @throws IllegalArgumentException if the group is empty
     */
    public LockTemplate withGroup(String newGroup) {
        if (newGroup.isEmpty()) {
            throw new IllegalArgumentException("newGroup must not be empty");
        }
        return new LockTemplate(client, type, options, wait, newGroup, observations, beforeCommit);
    }

    /**
     * Returns a template that releases the lock when the action has ended, even if the caller's transaction has not
     * committed yet. By default, such a transaction keeps the lock. Use this for actions whose changes do not depend on
     * that transaction, for example because they run in a transaction of their own: the next holder of the lock does
     * not see what the caller's transaction has changed.
     *
     * @return a new template
     */
    public LockTemplate withReleaseBeforeCommit() {
        return new LockTemplate(client, type, options, wait, group, observations, true);
    }

    /**
     * Executes an action under a lock that this thread holds, and returns its result. Waits for the lock.
     *
     * @param name the lock's name
     * @param action the action to execute
     * @param <T> the type of the result
     * @param <E> the type of exception that the action may throw
     * @return the result of the action
     * @throws E if the action throws it
     * @throws LockRefusedException if another owner held the lock for the whole time to wait
     * @throws LockInterruptedException if the thread was interrupted before it got the lock
     * @throws LeaseLostException if the lock was lost before the action ended
     * @throws io.boltwork.BackendException if the backend did not answer
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     * @throws IllegalStateException if the result comes later, such as a stage or a stream: the lock has been released
     *     before the work has ended. Use {@link #executeAsync} instead
     */
    public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockCallback<T, E> action)
            throws E {
        Objects.requireNonNull(action, "action");
        TakenLock hold = take(name, true);
        return execute(hold, () -> action.doWithLock(Objects.requireNonNull(hold.lease())));
    }

    private static <T extends @Nullable Object, E extends Throwable> T current(
            TakenLock hold, GuardedAction<T, E> action) throws E {
        @Nullable EnteredLock outer = EnteredLock.enter(hold.target(), hold.lease());
        try {
            return action.call();
        } finally {
            EnteredLock.leave(outer);
        }
    }

    private interface GuardedAction<T extends @Nullable Object, E extends Throwable> {
        T call() throws E;
    }

    private <T extends @Nullable Object, E extends Throwable> T execute(TakenLock hold, GuardedAction<T, E> action)
            throws E {
        T result;
        try {
            result = current(hold, action);
        } catch (Throwable failure) {
            try {
                end(hold);
            } catch (LeaseLostException lost) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
        end(hold);
        if (result instanceof CompletionStage<?>
                || ReactiveTypes.INSTANCE.endlessIn(result) != null
                || result != null && ReactiveTypes.INSTANCE.publisher(result.getClass()) != null) {
            throw new IllegalStateException(
                    "The action under the lock '" + Printable.text(hold.target().name()) + "' returned a "
                            + result.getClass().getName()
                            + ", whose work continues after the lock has been released. Use executeAsync instead");
        }
        return result;
    }

    /** Releases the hold, or leaves that to the caller's transaction. */
    private void end(TakenLock hold) {
        Lease lease = hold.lease();
        if (lease == null
                || beforeCommit
                || !SpringTransactions.INSTANCE.takes(new BoundHold(hold.target(), lease, SOURCE, null))) {
            hold.release();
        }
    }

    private boolean isTransactional() {
        return !beforeCommit && type.kind() != TargetKind.SEMAPHORE && SpringTransactions.INSTANCE.isThere();
    }

    /**
     * Executes an action under a lock and returns its result, as {@link #execute(String, LockCallback)} does, without
     * access to the lease.
     *
     * @param name the lock's name
     * @param action the action to execute
     * @param <T> the type of the result
     * @return the result of the action
     */
    public <T extends @Nullable Object> T execute(String name, Supplier<T> action) {
        Objects.requireNonNull(action, "action");
        return execute(take(name, false), action::get);
    }

    /**
     * Executes an action without a result under a lock, as {@link #execute(String, LockCallback)} does.
     *
     * @param name the lock's name
     * @param action the action to execute
     */
    public void executeWithoutResult(String name, Consumer<Lease> action) {
        Objects.requireNonNull(action, "action");
        execute(name, (Lease lease) -> {
            action.accept(lease);
            return true;
        });
    }

    /**
     * Executes an asynchronous action under a lock, without blocking. The lock belongs to no thread and is not
     * reentrant. It is released when the action's stage has completed. If the returned future completes earlier,
     * because it is cancelled or times out ({@link CompletableFuture#orTimeout}), work that has not started is
     * withdrawn and never starts; work that has started keeps the lock until it ends.
     *
     * @param name the lock's name
     * @param action the action to execute; called on the client's callback executor
     * @param <T> the type of the result
     * @return a future that completes after the lock has been released, with the outcome of the action's stage, or with
     *     an exception that {@link #execute(String, LockCallback)} would throw
     * @throws IllegalStateException if a transaction is active on this thread: the action takes no part in it
     */
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String name, Function<? super Lease, ? extends CompletionStage<T>> action) {
        Objects.requireNonNull(action, "action");
        if (isTransactional()) {
            throw new IllegalStateException("executeAsync was called in a transaction for the "
                    + type.kind().title(name)
                    + ", but its action takes no part in that transaction, which cannot keep the lock until it"
                    + " commits. Call execute instead, or end the transaction first. If the action does not depend on"
                    + " the transaction, use withReleaseBeforeCommit()");
        }
        LockTarget target;
        try {
            target = type.target(client, name, options);
        } catch (InvalidNameException invalid) {
            return CompletableFuture.failedFuture(invalid);
        }
        CallerContext context = CapturedContext.of();
        Withdrawal withdrawal = new Withdrawal();
        AsyncResult<T> result = new AsyncResult<>(withdrawal);
        withdrawal.of(result.request(() -> observations.takeAsync(group, target, wait, (lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(failure == null ? refusal(name) : failure);
            } else if (result.begin()) {
                run(target, lease, action, result, context);
            } else {
                lease.releaseAsync();
            }
        })));
        return result;
    }

    /** Withdraws a request when it is cancelled, whether the request becomes known before or after that. */
    private static final class Withdrawal extends CompletableFuture<@Nullable Object> {
        void of(Runnable withdraw) {
            whenComplete((nothing, cancelled) -> withdraw.run());
        }
    }

    @SuppressWarnings("unchecked") // the type of the action's result
    private static <T extends @Nullable Object> void run(
            LockTarget target,
            Lease lease,
            Function<? super Lease, ? extends CompletionStage<T>> action,
            AsyncResult<T> result,
            CallerContext context) {
        CompletionStage<T> body;
        try {
            body = (CompletionStage<T>) Objects.requireNonNull(
                    context.call(() -> current(new TakenLock(target, lease), () -> action.apply(lease))),
                    "action must return a stage, but returned null");
        } catch (Throwable thrown) { // thrown by the user's action; the lock is released anyway
            body = CompletableFuture.failedFuture(thrown);
        }
        body.whenComplete((value, failure) ->
                lease.releaseAsync().whenComplete((nothing, loss) -> result.end(value, failure, loss)));
    }

    private TakenLock take(String name, boolean byHandle) {
        TakenLock hold;
        try {
            hold = observations.take(group, type.target(client, name, options), wait, byHandle || isTransactional());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name, e);
        }
        if (hold == null) {
            throw refusal(name);
        }
        return hold.watch(options);
    }

    private LockRefusedException refusal(String name) {
        return new LockRefusedException(
                name,
                "The " + type.kind().title(name) + " was refused: "
                        + type.kind().refused()
                        + (wait == null || wait.isNegative() || wait.isZero()
                                ? ""
                                : ", and it did not become available within " + wait.toMillis() + " ms"));
    }
}
