// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOwner;
import io.boltwork.spring.LockInterruptedException;
import io.boltwork.spring.acquire.EnteredLock;
import io.boltwork.spring.acquire.LockClients;
import io.boltwork.spring.acquire.LockObservations;
import io.boltwork.spring.acquire.LockTarget;
import io.boltwork.spring.acquire.TakenLock;
import io.boltwork.spring.operation.LockDenial;
import io.boltwork.spring.operation.LockHooks;
import io.boltwork.spring.operation.LockMethod;
import io.boltwork.spring.operation.LockOperation;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.spring.operation.LockStep;
import io.boltwork.spring.operation.LockSteps;
import io.boltwork.spring.operation.MovedCall;
import io.boltwork.spring.text.LockCall;
import io.boltwork.spring.text.LockExpressions;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Executes methods under their locks. Thread-safe. */
public final class LockInterceptor implements MethodInterceptor {
    private final LockOperationSource source;
    private final LockExpressions expressions;
    private final LockClients clients;
    private final SingletonSupplier<LockHooks> hooks;
    private final SingletonSupplier<LockObservations> observations;
    private final ApplicationEnd end;
    private final DeferredResults results = new DeferredResults();

    /** Takes suppliers that are resolved at the first call, because advice is created before all other beans. */
    public LockInterceptor(
            LockOperationSource source,
            LockExpressions expressions,
            LockClients clients,
            Supplier<LockHooks> hooks,
            Supplier<LockObservations> observations,
            ApplicationEnd end) {
        this.source = source;
        this.expressions = expressions;
        this.clients = clients;
        this.hooks = SingletonSupplier.of(hooks);
        this.observations = SingletonSupplier.of(observations);
        this.end = end;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        try {
            return locked(invocation);
        } catch (ApplicationEnd.Unnoticed ended) {
            return skippedResult(invocation.getMethod());
        }
    }

    private @Nullable Object locked(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis());
        Class<?> targetClass = ClassUtils.getUserClass(target); // of a proxy, not the class that it hides
        LockMethod method = source.find(invocation.getMethod(), targetClass);
        if (method == null) {
            return invocation.proceed();
        }
        @SuppressWarnings("NullAway") // arguments may be null; they are only passed on
        Object[] arguments = invocation.getArguments();
        LockCall call = new LockCall(expressions, method.method(), arguments, target, targetClass);
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
            return invocation.proceed();
        }
        if (method.isAsync()) {
            AsyncLocking locking =
                    new AsyncLocking(method, steps, ((ProxyMethodInvocation) invocation).invocableClone());
            return method.stage()
                    ? locking.stage(MovedCall.isMoved(invocation))
                    : ReactiveLocking.publisher(locking, Objects.requireNonNull(method.reactive()), locking::execute);
        }
        return plain(BlockingCall.of(method, steps, invocation), 0);
    }

    /** Returns the owner of a call's locks; {@code null} if it is the thread, or each subscriber has one. */
    private static @Nullable LockOwner owner(LockMethod method, LockCall call) {
        if (method.isAsync() && !method.stage()) {
            return null;
        }
        LockOwner around = EnteredLock.owner();
        return around == null && method.stage() ? LockOwner.create(call.where()) : around;
    }

    private LockStep step(LockOperation operation, LockCall call) {
        LockHooks seeing = hooks.obtain();
        String name = seeing.name(operation, call);
        LockClient client = clients.get(operation.client());
        LockTarget target;
        try {
            target = operation.type().target(client, name, operation.options());
        } catch (InvalidNameException invalid) {
            throw new InvalidNameException(call.where() + ": " + invalid.getMessage() + seeing.origin(), invalid);
        }
        return new LockStep(operation, client, target, call, observations.obtain(), seeing);
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
            LockMethod method, LockSteps steps, @Nullable Lease[] leases, MethodInvocation invocation) {

        static BlockingCall of(LockMethod method, LockSteps steps, MethodInvocation invocation) {
            int leases = method.leases().isEmpty() ? 0 : steps.all().size();
            return new BlockingCall(method, steps, new Lease[leases], invocation);
        }

        @Nullable
        Object proceed() throws Throwable {
            if (leases.length > 0) {
                ((ProxyMethodInvocation) invocation)
                        .setArguments(steps.withLeases(method, invocation.getArguments(), Arrays.asList(leases)));
            }
            return invocation.proceed();
        }
    }

    private @Nullable Object plain(BlockingCall call, int next) throws Throwable {
        LockMethod method = call.method();
        LockStep step = call.steps().all().get(next);
        boolean byHandle = call.steps().isWanted(method, step) || method.open() || method.joinsTransaction();
        TakenLock hold;
        try {
            hold = take(method, step, byHandle);
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
        if (lease != null && method.open()) {
            return results.settle(method, step, lease, result, call.invocation());
        }
        if (lease == null || !step.leavesToTransaction(method, lease, null)) {
            step.release(hold);
        }
        return result;
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

    private @Nullable TakenLock take(LockMethod method, LockStep step, boolean byHandle) throws InterruptedException {
        try {
            return results.take(step, byHandle);
        } catch (ClientClosedException e) {
            throw end.isUnnoticed(method.method()) ? new ApplicationEnd.Unnoticed(e) : e;
        } catch (InterruptedException e) {
            if (end.isUnnoticed(method.method())) {
                Thread.currentThread().interrupt();
                throw new ApplicationEnd.Unnoticed(e);
            }
            if (method.declares(InterruptedException.class)) {
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
                () -> MovedCall.isMoved(call.invocation()),
                value -> fitting(denial.step().operation(), call.method().method(), value));
    }

    private static @Nullable Object fitting(LockOperation operation, Method method, @Nullable Object value) {
        Class<?> type = method.getReturnType();
        if (type != void.class && !ClassUtils.isAssignableValue(type, value)) {
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
}
