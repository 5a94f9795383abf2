package io.boltwork.spring;

import io.boltwork.Lease;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * A method that is executed under locks. Immutable.
 *
 * @param method the most specific one
 * @param operations its locks
 * @param stage whether it returns a stage
 * @param reactive how to adapt what it returns, if that is reactive
 * @param leases which parameters want the lease
 */
record LockMethod(
        Method method,
        List<LockOperation> operations,
        boolean stage,
        @Nullable ReactiveAdapter reactive,
        List<Integer> leases) {

    static LockMethod of(Method method, List<LockOperation> operations) {
        Class<?> type = method.getReturnType();
        boolean stage = type == CompletionStage.class || type == CompletableFuture.class;
        Class<?>[] parameters = method.getParameterTypes();
        return new LockMethod(
                method,
                List.copyOf(operations),
                stage,
                stage || type == void.class || type == Object.class
                        ? null
                        : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type),
                IntStream.range(0, parameters.length)
                        .filter(i -> parameters[i] == Lease.class)
                        .boxed()
                        .toList());
    }

    boolean isAsync() {
        return stage || reactive != null;
    }

    boolean declares(Class<? extends Exception> exception) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isAssignableFrom(exception));
    }

    /** {@code arguments} with the lease where the method wants it. */
    Object[] withLease(Object[] arguments, Lease lease) {
        if (leases.isEmpty()) {
            return arguments;
        }
        Object[] changed = arguments.clone();
        leases.forEach(i -> changed[i] = lease);
        return changed;
    }
}
