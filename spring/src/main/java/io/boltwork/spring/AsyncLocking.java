package io.boltwork.spring;

import io.boltwork.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of a method whose result comes later: its locks are taken one after the other without a thread, and are given back
 * when the result is there.
 *
 * @param method what is called
 * @param turns its locks, in their order
 * @param invocation the call, which nobody else goes on with
 */
record AsyncLocking(LockMethod method, List<LockTurn> turns, MethodInvocation invocation) {

    /** What was taken, or which lock was refused. */
    record Held(
            List<LockTurn> turns,
            List<Lease> leases,
            @Nullable LockTurn refused) {

        /** Gives everything back, the last first. */
        CompletableFuture<?> release() {
            CompletableFuture<?>[] all = new CompletableFuture<?>[leases.size()];
            for (int i = leases.size() - 1; i >= 0; i--) {
                all[i] = turns.get(i).releaseAsync(leases.get(i)).toCompletableFuture();
            }
            return CompletableFuture.allOf(all);
        }
    }

    /** Takes the locks; what was taken before one was refused has been given back when it completes. */
    CompletableFuture<Held> take() {
        Taking taking = new Taking(turns);
        taking.next(new ArrayList<>());
        return taking;
    }

    /** Executes the method with its lease. */
    @Nullable
    Object execute(Held held) throws Throwable {
        ProxyMethodInvocation call = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation)
                .invocableClone(invocation.getArguments().clone());
        if (!method.leases().isEmpty()) {
            call.setArguments(
                    method.withLease(call.getArguments(), held.leases().get(0)));
        }
        return call.proceed();
    }

    /** Executes the method under its locks without blocking; completes when they have been given back. */
    CompletableFuture<@Nullable Object> stage() {
        CompletableFuture<Held> taking = take();
        Result result = new Result(taking);
        taking.whenComplete((held, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (held.refused() != null) {
                refused(held.refused(), result);
            } else {
                run(held, result);
            }
        });
        return result;
    }

    private void refused(LockTurn turn, Result result) {
        OnRefused then = turn.operation().onRefused();
        if (turn.skips() || then == OnRefused.RETURN_NULL) {
            result.complete(null);
        } else if (then == OnRefused.THROW) {
            result.completeExceptionally(turn.refusal());
        } else {
            body(() -> LockInterceptor.fallback(turn, invocation)).whenComplete((value, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(value);
                }
            });
        }
    }

    private void run(Held held, Result result) {
        CompletableFuture<? extends @Nullable Object> body = body(() -> execute(held));
        result.body(body);
        body.whenComplete((value, failure) -> held.release().whenComplete((nothing, loss) -> {
            if (failure != null) {
                if (loss != null) {
                    failure.addSuppressed(unwrapped(loss));
                }
                result.completeExceptionally(failure);
            } else if (loss != null) {
                result.completeExceptionally(unwrapped(loss));
            } else {
                result.complete(value);
            }
        }));
    }

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private interface Body {
        @Nullable
        Object call() throws Throwable;
    }

    private static CompletableFuture<? extends @Nullable Object> body(Body body) {
        try {
            CompletionStage<?> stage = (CompletionStage<?>) body.call();
            return stage == null ? CompletableFuture.completedFuture(null) : stage.toCompletableFuture();
        } catch (Throwable thrown) { // the method's own
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /** What the caller gets; cancelling it withdraws the request, or cancels what the method has returned. */
    private static final class Result extends CompletableFuture<@Nullable Object> {
        private final CompletableFuture<Held> taking;
        private volatile @Nullable CompletableFuture<?> body;

        Result(CompletableFuture<Held> taking) {
            this.taking = taking;
        }

        void body(CompletableFuture<?> begun) {
            body = begun;
            if (isCancelled()) {
                begun.cancel(true);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            taking.cancel(mayInterruptIfRunning);
            CompletableFuture<?> begun = body;
            if (cancelled && begun != null) {
                begun.cancel(mayInterruptIfRunning);
            }
            return cancelled;
        }
    }

    /** Cancelling it withdraws the request, and gives back what has been taken. */
    private static final class Taking extends CompletableFuture<Held> {
        private final List<LockTurn> turns;
        private volatile @Nullable CompletableFuture<?> current;

        Taking(List<LockTurn> turns) {
            this.turns = turns;
        }

        void next(List<Lease> leases) {
            if (leases.size() == turns.size()) {
                decide(new Held(turns, List.copyOf(leases), null));
                return;
            }
            LockTurn turn = turns.get(leases.size());
            CompletableFuture<@Nullable Lease> asked = turn.takeAsync();
            current = asked;
            if (isDone()) {
                asked.cancel(true);
            }
            asked.whenComplete((lease, failure) -> {
                if (failure == null && lease != null) {
                    leases.add(lease);
                    next(leases);
                    return;
                }
                new Held(turns, List.copyOf(leases), null).release().whenComplete((nothing, loss) -> {
                    if (failure != null) {
                        completeExceptionally(failure);
                    } else {
                        complete(new Held(turns, List.of(), turn));
                    }
                });
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
            CompletableFuture<?> asked = current;
            if (cancelled && asked != null) {
                asked.cancel(mayInterruptIfRunning);
            }
            return cancelled;
        }
    }
}
