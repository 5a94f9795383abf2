package io.boltwork.spring;

import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Executes methods under their locks. Thread-safe. */
final class LockInterceptor implements MethodInterceptor {
    private static final Comparator<LockTurn> ORDER = Comparator.<LockTurn>comparingInt(
                    turn -> turn.operation().order())
            .thenComparing(turn -> turn.lock().name());

    private final LockOperationSource source;
    private final LockExpressions expressions;
    private final SingletonSupplier<LockClient> client;
    private final SingletonSupplier<LockObservations> observations;
    private final ApplicationEnd end;
    private final LaterResults results = new LaterResults();

    /** Both are asked for at the first call, because advice is made before all other beans. */
    LockInterceptor(
            LockOperationSource source,
            LockExpressions expressions,
            Supplier<LockClient> client,
            Supplier<LockObservations> observations,
            ApplicationEnd end) {
        this.source = source;
        this.expressions = expressions;
        this.client = SingletonSupplier.of(client);
        this.observations = SingletonSupplier.of(observations);
        this.end = end;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        try {
            return locked(invocation);
        } catch (ApplicationEnd.Unnoticed ended) {
            return Nothing.of(invocation.getMethod().getReturnType());
        }
    }

    private @Nullable Object locked(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis());
        Class<?> targetClass = AopUtils.getTargetClass(target);
        LockMethod method = source.find(invocation.getMethod(), targetClass);
        if (method == null) {
            return invocation.proceed();
        }
        @SuppressWarnings("NullAway") // arguments may be null; nobody looks
        Object[] arguments = invocation.getArguments();
        LockCall call = new LockCall(expressions, method.method(), arguments, target, targetClass);
        List<LockTurn> turns = turns(method.operations(), call);
        if (turns.isEmpty()) {
            return invocation.proceed();
        }
        if (method.isAsync()) {
            AsyncLocking locking =
                    new AsyncLocking(method, turns, ((ProxyMethodInvocation) invocation).invocableClone());
            return method.stage()
                    ? locking.stage()
                    : ReactiveLocking.publisher(locking, Objects.requireNonNull(method.reactive()), locking::execute);
        }
        return plain(method, turns, 0, invocation);
    }

    private List<LockTurn> turns(List<LockOperation> operations, LockCall call) {
        if (operations.size() == 1) {
            LockOperation only = operations.get(0);
            return only.applies(call) ? List.of(turn(only, call)) : List.of();
        }
        List<LockTurn> turns = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (LockOperation operation : operations) {
            if (operation.applies(call)) {
                LockTurn turn = turn(operation, call);
                if (names.add(turn.lock().name())) {
                    turns.add(turn);
                }
            }
        }
        turns.sort(ORDER);
        return turns;
    }

    private LockTurn turn(LockOperation operation, LockCall call) {
        return new LockTurn(
                operation,
                client.obtain().lock(operation.lockName(call), operation.options()),
                call,
                observations.obtain());
    }

    private @Nullable Object plain(LockMethod method, List<LockTurn> turns, int next, MethodInvocation invocation)
            throws Throwable {
        LockTurn turn = turns.get(next);
        boolean wantsLease = next == 0 && !method.leases().isEmpty();
        boolean byHandle = wantsLease || method.open() || TransactionBoundary.isThere(method);
        LockTurn.Hold hold = take(method, turn, byHandle);
        if (hold == null) {
            return refused(method, turn, invocation);
        }
        Lease lease = hold.lease();
        Object result;
        try {
            result = inside(method, turns, next, lease, invocation);
        } catch (Throwable failure) {
            afterFailure(method, turn, hold, failure);
            throw failure;
        }
        if (lease != null && method.open()) {
            return results.settle(method, turn, lease, result, invocation);
        }
        if (lease == null || !TransactionBoundary.takes(method, turn, lease, null)) {
            turn.release(hold);
        }
        return result;
    }

    private static void afterFailure(LockMethod method, LockTurn turn, LockTurn.Hold hold, Throwable failure) {
        Lease lease = hold.lease();
        if (lease != null && TransactionBoundary.takes(method, turn, lease, null)) {
            return;
        }
        try {
            turn.release(hold);
        } catch (LeaseLostException lost) {
            failure.addSuppressed(lost);
        }
    }

    private @Nullable Object inside(
            LockMethod method, List<LockTurn> turns, int taken, @Nullable Lease lease, MethodInvocation invocation)
            throws Throwable {
        if (taken == 0 && lease != null && !method.leases().isEmpty()) {
            ((ProxyMethodInvocation) invocation).setArguments(method.withLease(invocation.getArguments(), lease));
        }
        return taken + 1 < turns.size() ? plain(method, turns, taken + 1, invocation) : invocation.proceed();
    }

    private LockTurn.@Nullable Hold take(LockMethod method, LockTurn turn, boolean byHandle)
            throws InterruptedException {
        try {
            return results.take(turn, byHandle);
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
            throw new LockInterruptedException(turn.lock().name(), e);
        }
    }

    private static @Nullable Object refused(LockMethod method, LockTurn turn, MethodInvocation invocation)
            throws Throwable {
        if (turn.skips()) {
            return Nothing.of(method.method().getReturnType());
        }
        return switch (turn.operation().onRefused()) {
            case THROW, DEFAULT -> throw turn.refusal();
            case RETURN_NULL -> null;
            case FALLBACK -> fallback(turn, invocation);
        };
    }

    /** What the fallback method returns or throws. */
    static @Nullable Object fallback(LockTurn turn, MethodInvocation invocation) throws Throwable {
        Method fallback = Objects.requireNonNull(turn.operation().fallback());
        Object[] arguments = invocation.getArguments();
        if (fallback.getParameterCount() > arguments.length) {
            Object[] more = Arrays.copyOf(arguments, arguments.length + 1);
            more[arguments.length] = turn.refusal();
            arguments = more;
        }
        return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), fallback, arguments);
    }
}
