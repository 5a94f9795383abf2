package io.boltwork.spring;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.spi.Printable;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does something under a lock, in code. Immutable and thread-safe: the {@code with} methods return another template.
 *
 * <!-- snippet: spring/Purchases.java#template -->
 * <pre>{@code
 * return locks.withWait(Duration.ofSeconds(2)).execute("stock:" + item, lease -> {
 *     return stock.decrease(item, lease.fencingToken()) > 0;
 * });
 * }</pre>
 *
 * <p>It waits as long as it takes, unless told otherwise; interrupts end the waiting. {@link LockRefusedException} says that
 * somebody else had the lock for all that time, {@link io.boltwork.BackendException} that nobody knows; in both cases nothing
 * was executed. If the lease was lost before the callback had ended, {@link LeaseLostException} says so, or is suppressed by what
 * the callback threw.
 */
public final class LockTemplate {
    private final LockClient client;
    private final LockOptions options;
    private final @Nullable Duration wait;
    private final @Nullable String group;
    private final LockObservations observations;

    /**
     * A template that waits as long as it takes, with the default options of locks.
     *
     * @param client where locks come from
     */
    public LockTemplate(LockClient client) {
        this(client, new LockGroups(BoltworkProperties.Metrics.MAX_GROUPS, ""));
    }

    /** Groups are shared with the meters. */
    LockTemplate(LockClient client, LockGroups groups) {
        this(
                Objects.requireNonNull(client, "client"),
                LockOptions.defaults(),
                null,
                null,
                new LockObservations(ObservationRegistry.NOOP, groups));
    }

    private LockTemplate(
            LockClient client,
            LockOptions options,
            @Nullable Duration wait,
            @Nullable String group,
            LockObservations observations) {
        this.client = client;
        this.options = options;
        this.wait = wait;
        this.group = group;
        this.observations = observations;
    }

    /**
     * The same with other options of the locks.
     *
     * @param newOptions how locks are held
     * @return another template
     */
    public LockTemplate withOptions(LockOptions newOptions) {
        return new LockTemplate(client, Objects.requireNonNull(newOptions, "newOptions"), wait, group, observations);
    }

    /**
     * The same, but waiting for a limited time.
     *
     * @param newWait how long; not positive: not at all
     * @return another template
     */
    public LockTemplate withWait(Duration newWait) {
        return new LockTemplate(client, options, Objects.requireNonNull(newWait, "newWait"), group, observations);
    }

    /**
     * The same, but with its waiting observed, as {@code boltwork.lock.acquire}.
     *
     * @param registry who observes
     * @return another template
     */
    public LockTemplate withObservations(ObservationRegistry registry) {
        return new LockTemplate(client, options, wait, group, observations.with(registry));
    }

    /**
     * The same with another group of its locks in meters and observations. Without one, the group is the text before the first colon
     * or digit of the lock's name, and {@code other} for a name without either.
     *
     * @param newGroup such as {@code stock}; few of them
     * @return another template
     */
    public LockTemplate withGroup(String newGroup) {
        if (newGroup.isEmpty()) {
            throw new IllegalArgumentException("newGroup must not be empty");
        }
        return new LockTemplate(client, options, wait, newGroup, observations);
    }

    /**
     * Computes something under a lock, which is this thread's.
     *
     * @param name the lock's name
     * @param action what to do
     * @param <T> what is computed
     * @param <E> what the action throws
     * @return what the action returned
     * @throws E what the action threw
     * @throws LockRefusedException if the lock was taken for all the time to wait
     * @throws LockInterruptedException if the thread was interrupted before it had the lock
     * @throws LeaseLostException if the lock was lost before the action had ended
     * @throws io.boltwork.BackendException if the backend gave no answer
     * @throws IllegalStateException if the action returned what comes later, such as a stage or a stream: the lock is given back
     *     before that has ended; see {@link #executeAsync}
     */
    public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockCallback<T, E> action)
            throws E {
        Objects.requireNonNull(action, "action");
        LockTurn.Hold hold = take(name, true);
        return execute(hold, () -> action.doWithLock(Objects.requireNonNull(hold.lease())));
    }

    private static <T extends @Nullable Object, E extends Throwable> T current(LockTurn.Hold hold, Action<T, E> action)
            throws E {
        CurrentLease.@Nullable Hold outer = CurrentLease.enter(hold.lock(), hold.lease());
        try {
            return action.call();
        } finally {
            CurrentLease.leave(outer);
        }
    }

    private interface Action<T extends @Nullable Object, E extends Throwable> {
        T call() throws E;
    }

    private static <T extends @Nullable Object, E extends Throwable> T execute(LockTurn.Hold hold, Action<T, E> action)
            throws E {
        T result;
        try {
            result = current(hold, action);
        } catch (Throwable failure) {
            try {
                hold.release();
            } catch (LeaseLostException lost) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
        hold.release();
        if (result instanceof CompletionStage<?>
                || LaterTypes.endlessIn(result) != null
                || result != null && LaterTypes.reactive(result.getClass()) != null) {
            throw new IllegalStateException(
                    "The action under the lock '" + Printable.text(hold.lock().name()) + "' has returned a "
                            + result.getClass().getName()
                            + ", whose work goes on after the lock has been given back; use executeAsync");
        }
        return result;
    }

    /**
     * Computes something under a lock, as {@link #execute(String, LockCallback)}, without looking at the lease.
     *
     * @param name the lock's name
     * @param action what to do
     * @param <T> what is computed
     * @return what the action returned
     */
    public <T extends @Nullable Object> T execute(String name, Supplier<T> action) {
        Objects.requireNonNull(action, "action");
        return execute(take(name, false), action::get);
    }

    /**
     * Does something under a lock, as {@link #execute(String, LockCallback)}.
     *
     * @param name the lock's name
     * @param action what to do
     */
    public void executeWithoutResult(String name, Consumer<Lease> action) {
        Objects.requireNonNull(action, "action");
        execute(name, (Lease lease) -> {
            action.accept(lease);
            return true;
        });
    }

    /**
     * Does something asynchronous under a lock, without blocking. The lock belongs to no thread and is not reentrant; it is given
     * back when the stage has completed. If the result completes earlier, because it is cancelled or by {@link
     * CompletableFuture#orTimeout}, what has not begun is withdrawn and never begins; what has begun holds the lock to its own
     * end.
     *
     * @param name the lock's name
     * @param action what to do; called on the client's callback executor
     * @param <T> what is computed
     * @return completes when the lock has been given back, with what the action's stage completed with, or with what {@link
     *     #execute(String, LockCallback)} throws
     */
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String name, Function<? super Lease, ? extends CompletionStage<T>> action) {
        Objects.requireNonNull(action, "action");
        FencedLock lock = client.lock(name, options);
        CallerContext context = CallerContext.capture();
        Withdrawal withdrawal = new Withdrawal();
        AsyncResult<T> result = new AsyncResult<>(withdrawal);
        withdrawal.of(observations.takeAsync(group, lock, wait, (lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(failure == null ? refusal(name) : failure);
            } else if (result.begin()) {
                run(lock, lease, action, result, context);
            } else {
                lease.releaseAsync();
            }
        }));
        return result;
    }

    /** Cancelling it withdraws a request, be it told of before that or after. */
    private static final class Withdrawal extends CompletableFuture<@Nullable Object> {
        void of(Runnable withdraw) {
            whenComplete((nothing, cancelled) -> withdraw.run());
        }
    }

    @SuppressWarnings("unchecked") // what the action returns
    private static <T extends @Nullable Object> void run(
            FencedLock lock,
            Lease lease,
            Function<? super Lease, ? extends CompletionStage<T>> action,
            AsyncResult<T> result,
            CallerContext context) {
        CompletionStage<T> body;
        try {
            body = (CompletionStage<T>) Objects.requireNonNull(
                    context.call(() -> current(new LockTurn.Hold(lock, lease), () -> action.apply(lease))),
                    "action must return a stage, but has returned null");
        } catch (Throwable thrown) { // the user's own; the lock is given back all the same
            body = CompletableFuture.failedFuture(thrown);
        }
        body.whenComplete((value, failure) ->
                lease.releaseAsync().whenComplete((nothing, loss) -> result.end(value, failure, loss)));
    }

    private LockTurn.Hold take(String name, boolean byHandle) {
        LockTurn.Hold hold;
        try {
            hold = observations.take(group, client.lock(name, options), wait, byHandle);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name, e);
        }
        if (hold == null) {
            throw refusal(name);
        }
        return hold;
    }

    private LockRefusedException refusal(String name) {
        return new LockRefusedException(
                name,
                "The lock '" + name + "' was refused: somebody else has it"
                        + (wait == null || wait.isNegative() || wait.isZero()
                                ? ""
                                : ", and kept it for " + wait.toMillis() + " ms"));
    }
}
