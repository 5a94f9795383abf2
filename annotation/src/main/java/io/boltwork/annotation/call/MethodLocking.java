// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOwner;
import io.boltwork.annotation.LockInterruptedException;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockTarget;
import io.boltwork.annotation.acquire.TakenLock;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.operation.LockClients;
import io.boltwork.annotation.operation.LockDenial;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperation;
import io.boltwork.annotation.operation.LockStep;
import io.boltwork.annotation.operation.LockSteps;
import io.boltwork.annotation.text.LockCall;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes methods under their locks. Thread-safe. */
public final class MethodLocking {
    private final LockClients clients;
    private final Supplier<LockHooks> hooks;
    private final Supplier<LockObservations> observations;
    private final TransactionBoundary transactions;
    private final Supplier<CallerContext> contexts;
    private final DeferredResults results;

    /**
     * Creates an executor. The suppliers are asked at each call.
     *
     * @param contexts captures the values of the calling thread
     */
    public MethodLocking(
            LockClients clients,
            Supplier<LockHooks> hooks,
            Supplier<LockObservations> observations,
            TransactionBoundary transactions,
            DeferredTypes types,
            Supplier<CallerContext> contexts) {
        this.clients = clients;
        this.hooks = hooks;
        this.observations = observations;
        this.transactions = transactions;
        this.contexts = contexts;
        this.results = new DeferredResults(types, contexts);
    }

    /**
     * Executes a call under its locks and returns the caller's result.
     *
     * @param call the same call, for the texts of the annotations
     */
    @Nullable
    public Object execute(LockMethod method, LockCall call, Invocation invocation) throws Throwable {
        try {
            return locked(method, call, invocation);
        } catch (Unnoticed ended) {
            return skippedResult(method.method());
        }
    }

    private @Nullable Object locked(LockMethod method, LockCall call, Invocation invocation) throws Throwable {
        LockSteps steps;
        try {
            LockOwner owner = owner(method, call);
            steps = LockSteps.of(
                    method.operations(),
                    call,
                    operation -> step(operation, call).ownedBy(owner));
        } catch (RuntimeException refused) {
            return AsyncLocking.failed(method, refused);
        }
        if (steps.all().isEmpty()) {
            return invocation.proceed(invocation.arguments());
        }
        if (method.isAsync()) {
            AsyncLocking locking = new AsyncLocking(method, steps, invocation, contexts);
            return method.result() instanceof PublisherType publishers
                    ? publishers.publisher(locking)
                    : locking.stage(invocation.isMoved());
        }
        return plain(BlockingCall.of(method, steps, invocation), 0);
    }

    /** Returns the owner of a call's locks; {@code null} if it is the thread, or each subscriber has one. */
    private static @Nullable LockOwner owner(LockMethod method, LockCall call) {
        if (method.isAsync() && !method.isStage()) {
            return null;
        }
        LockOwner around = EnteredLock.owner();
        return around == null && method.isStage() ? LockOwner.create(call.where()) : around;
    }

    private LockStep step(LockOperation operation, LockCall call) {
        LockHooks seeing = hooks.get();
        String name = seeing.name(operation, call);
        LockClient client = clients.get(operation.client());
        LockTarget target;
        try {
            target = operation.type().target(client, name, operation.options());
        } catch (InvalidNameException invalid) {
            throw new InvalidNameException(call.where() + ": " + invalid.getMessage() + seeing.origin(), invalid);
        }
        return new LockStep(operation, client, target, call, observations.get(), seeing, transactions);
    }

    /**
     * One call that is executed by the calling thread.
     *
     * @param method the called method
     * @param steps its locks
     * @param leases those acquired so far; empty if the method has no lease parameter
     * @param invocation the call
     */
    private record BlockingCall(
            LockMethod method, LockSteps steps, @Nullable Lease[] leases, Invocation invocation) {

        static BlockingCall of(LockMethod method, LockSteps steps, Invocation invocation) {
            int leases = method.leases().isEmpty() ? 0 : steps.all().size();
            return new BlockingCall(method, steps, new Lease[leases], invocation);
        }

        boolean isUnnoticed() {
            return invocation.isUnnoticed(method.method());
        }

        @Nullable
        Object proceed() throws Throwable {
            Object[] arguments = invocation.arguments();
            return invocation.proceed(
                    leases.length == 0 ? arguments : steps.withLeases(method, arguments, Arrays.asList(leases)));
        }
    }

    private @Nullable Object plain(BlockingCall call, int next) throws Throwable {
        LockMethod method = call.method();
        LockStep step = call.steps().all().get(next);
        boolean byHandle = call.steps().isWanted(method, step) || method.isOpen() || joinsTransaction(method);
        TakenLock hold;
        try {
            hold = take(call, step, byHandle);
        } catch (BackendException outage) {
            return instead(call, new LockDenial(step, outage));
        }
        if (hold == null) {
            return instead(call, new LockDenial(step, null));
        }
        Lease lease = hold.lease();
        if (call.leases().length > 0) {
            call.leases()[next] = lease;
        }
        Object result;
        try {
            result = inside(call, next, hold);
        } catch (Throwable failure) {
            afterFailure(method, step, hold, failure);
            throw failure;
        }
        if (lease != null && method.isOpen()) {
            return results.settle(method, step, lease, result, call.invocation());
        }
        if (lease == null || !step.leavesToTransaction(method, lease, null)) {
            step.release(hold);
        }
        return result;
    }

    /** Returns whether the method takes part in a transaction of this thread. */
    private boolean joinsTransaction(LockMethod method) {
        return !method.apart() && transactions.isThere();
    }

    private @Nullable Object inside(BlockingCall call, int taken, TakenLock hold) throws Throwable {
        @Nullable EnteredLock outer = EnteredLock.enter(hold.target(), hold.lease());
        try {
            return taken + 1 < call.steps().all().size() ? plain(call, taken + 1) : call.proceed();
        } finally {
            EnteredLock.leave(outer);
        }
    }

    private static void afterFailure(LockMethod method, LockStep step, TakenLock hold, Throwable failure) {
        Lease lease = hold.lease();
        if (lease != null && step.leavesToTransaction(method, lease, null)) {
            return;
        }
        try {
            step.release(hold);
        } catch (LeaseLostException lost) {
            failure.addSuppressed(lost);
        }
    }

    private @Nullable TakenLock take(BlockingCall call, LockStep step, boolean byHandle) throws InterruptedException {
        try {
            return results.take(step, byHandle);
        } catch (ClientClosedException e) {
            throw call.isUnnoticed() ? new Unnoticed(e) : e;
        } catch (InterruptedException e) {
            if (call.isUnnoticed()) {
                Thread.currentThread().interrupt();
                throw new Unnoticed(e);
            }
            if (call.method().declares(InterruptedException.class)) {
                throw e;
            }
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(step.target().name(), e);
        }
    }

    private static @Nullable Object instead(BlockingCall call, LockDenial denial) throws Throwable {
        boolean skips = denial.step().skips();
        return denial.instead(
                skips ? skippedResult(call.method().method()) : null,
                call.invocation(),
                call.invocation()::isMoved,
                value -> fitting(denial.step().operation(), call.method().method(), value));
    }

    private static @Nullable Object fitting(LockOperation operation, Method method, @Nullable Object value) {
        Class<?> type = method.getReturnType();
        if (type != void.class
                && !(value == null
                        ? !type.isPrimitive()
                        : MethodHierarchy.boxed(type).isInstance(value))) {
            throw new IllegalStateException(operation.where() + ": the LockRefusal bean returned "
                    + (value == null ? "null" : "a " + value.getClass().getName()) + ", but the method returns "
                    + type.getTypeName());
        }
        return value;
    }

    /** Returns zero, {@code false} or an empty {@link Optional} if that fits the method, otherwise {@code null}. */
    private static @Nullable Object skippedResult(Method method) {
        Class<?> type = method.getReturnType();
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type.isPrimitive() && type != void.class ? Array.get(Array.newInstance(type, 1), 0) : null;
    }

    /** Replaces the exception that ended the wait. */
    private static final class Unnoticed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unnoticed(Throwable cause) {
            super(cause);
        }
    }
}
