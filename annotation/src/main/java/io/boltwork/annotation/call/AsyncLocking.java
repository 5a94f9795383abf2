// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockOwner;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.operation.LockDenial;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockStep;
import io.boltwork.annotation.operation.LockSteps;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method whose result comes later. Its locks are acquired one after the other without blocking a thread,
 * and are released when the result is available. The method is executed on the client's callback executor, unless
 * another interceptor has moved the call to an executor, on which it stays.
 *
 * @param method the called method
 * @param steps its locks, in order
 * @param invocation the call
 * @param contexts captures the values of a thread
 */
public record AsyncLocking(
        LockMethod method, LockSteps steps, Invocation invocation, Supplier<CallerContext> contexts) {

    /** The acquired holds, or the reason for having none. */
    public record Held(
            List<LockStep> steps,
            List<Lease> leases,
            @Nullable LockDenial denial) {

        /** Returns the permits of semaphores, or all other holds. */
        public Held only(boolean permits) {
            List<LockStep> chosenSteps = new ArrayList<>();
            List<Lease> chosenLeases = new ArrayList<>();
            for (int i = 0; i < leases.size(); i++) {
                if (steps.get(i).target().kind() == TargetKind.SEMAPHORE == permits) {
                    chosenSteps.add(steps.get(i));
                    chosenLeases.add(leases.get(i));
                }
            }
            return new Held(chosenSteps, chosenLeases, denial);
        }

        /** Releases all holds, the last one first. */
        public CompletableFuture<?> release() {
            CompletableFuture<?>[] all = new CompletableFuture<?>[leases.size()];
            for (int i = leases.size() - 1; i >= 0; i--) {
                all[i] = steps.get(i).releaseAsync(leases.get(i)).toCompletableFuture();
            }
            return CompletableFuture.allOf(all);
        }
    }

    /**
     * Prepares to acquire the locks. The acquisition starts with {@link Taking#begin()}; register all callbacks before
     * that.
     *
     * @param owner the owner of the locks; {@code null} if the steps have one
     */
    public Taking take(@Nullable LockOwner owner) {
        return new Taking(steps.all().stream().map(step -> step.ownedBy(owner)).toList());
    }

    /** Returns where the method is. */
    public String where() {
        return steps.all().get(0).call().where();
    }

    /** Returns the result of a call that was refused before it could ask for its locks, or throws the exception. */
    static Object failed(LockMethod method, RuntimeException refused) {
        if (method.isStage()) {
            return CompletableFuture.failedFuture(refused);
        }
        if (method.result() instanceof PublisherType publishers) {
            return publishers.failed(refused);
        }
        throw refused;
    }

    /** Returns a copy of the arguments of the call, with its leases. */
    public Object[] arguments(Held held) {
        Object[] arguments = invocation.arguments();
        return method.leases().isEmpty() ? arguments.clone() : steps.withLeases(method, arguments, held.leases());
    }

    /** Executes the method with these arguments, under the locks. */
    @Nullable
    public Object execute(Held held, Object[] arguments) throws Throwable {
        return current(held, 0, () -> invocation.proceed(arguments));
    }

    /** Returns what the caller gets in place of the method's result: see {@link LockDenial#instead}. */
    @Nullable
    public Object instead(LockDenial denial, boolean moved, Function<@Nullable Object, @Nullable Object> result)
            throws Throwable {
        return denial.instead(null, invocation, () -> moved, result);
    }

    /** Makes the holds from {@code next} on the current ones, then executes the body. */
    private static @Nullable Object current(Held held, int next, GuardedCode body) throws Throwable {
        if (next == held.leases().size()) {
            return body.call();
        }
        @Nullable
        EnteredLock outer =
                EnteredLock.enter(held.steps().get(next).target(), held.leases().get(next));
        try {
            return current(held, next + 1, body);
        } finally {
            EnteredLock.leave(outer);
        }
    }

    /**
     * Executes the method under its locks. The future completes when the locks have been released.
     *
     * @param here whether this thread waits for the locks and executes the method; if not, this thread does not wait
     */
    CompletableFuture<@Nullable Object> stage(boolean here) {
        CallerContext context = contexts.get();
        Taking taking = take(null);
        AsyncResult<@Nullable Object> result = new AsyncResult<>(taking);
        if (here) {
            taking.begin();
            await(taking, result);
        }
        taking.whenComplete((held, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.begin()) {
                held.release();
            } else if (held.denial() != null) {
                denied(held.denial(), here, result, context);
            } else {
                run(held, result, context);
            }
        });
        if (!here) {
            result.request(taking::begun);
        }
        return result;
    }

    /** Waits for the end of the acquisition. An interrupt ends it. */
    private void await(Taking taking, AsyncResult<?> result) {
        try {
            taking.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            result.completeExceptionally(
                    new LockInterruptedException(steps.all().get(0).target().name(), e));
        } catch (ExecutionException e) {
            return; // the result gets it
        }
    }

    private void denied(LockDenial denial, boolean here, AsyncResult<@Nullable Object> result, CallerContext context) {
        body(() -> context.call(() -> instead(
                        denial,
                        here,
                        value -> value instanceof CompletionStage ? value : CompletableFuture.completedFuture(value))))
                .whenComplete((value, failure) -> result.end(value, failure, null));
    }

    private void run(Held held, AsyncResult<@Nullable Object> result, CallerContext context) {
        body(() -> context.call(() -> execute(held, arguments(held))))
                .whenComplete((value, failure) ->
                        held.release().whenComplete((nothing, loss) -> result.end(value, failure, loss)));
    }

    public static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static CompletionStage<? extends @Nullable Object> body(GuardedCode body) {
        try {
            CompletionStage<?> stage = (CompletionStage<?>) body.call();
            return stage == null ? CompletableFuture.completedFuture(null) : stage;
        } catch (Throwable thrown) { // the method's own
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /**
     * Acquires one lock after the other. Cancelling this future withdraws the pending request and releases the locks
     * acquired so far.
     */
    public static final class Taking extends CompletableFuture<Held> {
        private final List<LockStep> steps;
        private final List<Lease> leases = new ArrayList<>();
        private final AtomicReference<Asked> asked = new AtomicReference<>(new Asked(-1, () -> {}));

        /** The withdrawal of the request for the lock with that number. */
        private record Asked(int number, Runnable withdraw) {

            static Asked later(Asked one, Asked other) {
                return one.number > other.number ? one : other;
            }
        }

        Taking(List<LockStep> steps) {
            this.steps = steps;
        }

        /** Begins, and returns this. */
        public Taking begun() {
            begin();
            return this;
        }

        void begin() {
            if (leases.size() == steps.size() || isCancelled()) {
                decide(new Held(steps, List.copyOf(leases), null));
                return;
            }
            int number = leases.size();
            LockStep step = steps.get(number);
            Runnable withdraw;
            try {
                // the reply may arrive, and trigger the request for the next lock, before this call returns
                withdraw = step.takeAsync((lease, failure) -> answered(step, lease, failure));
            } catch (RuntimeException refused) { // the locks acquired so far are released
                answered(step, null, refused);
                return;
            }
            asked.accumulateAndGet(new Asked(number, withdraw), Asked::later);
            if (isCancelled()) {
                withdraw.run();
            }
        }

        private void answered(LockStep step, @Nullable Lease lease, @Nullable Throwable failure) {
            if (lease != null) {
                leases.add(lease);
                begin();
                return;
            }
            new Held(steps, List.copyOf(leases), null).release().whenComplete((nothing, loss) -> {
                if (failure == null) {
                    complete(new Held(steps, List.of(), new LockDenial(step, null)));
                } else if (unwrapped(failure) instanceof BackendException outage) {
                    complete(new Held(steps, List.of(), new LockDenial(step, outage)));
                } else {
                    completeExceptionally(failure);
                }
            });
        }

        private void decide(Held held) {
            if (!complete(held)) {
                held.release();
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                Objects.requireNonNull(asked.get()).withdraw().run();
            }
            return cancelled;
        }
    }
}
