package io.boltwork.spring;

import io.boltwork.Lease;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A method that is executed under locks. Immutable.
 *
 * @param method the most specific one
 * @param operations its locks
 * @param stage whether it returns a stage
 * @param reactive how to adapt what it returns, if that is reactive
 * @param open whether what it returns decides, because its type does not say whether the result comes later
 * @param apart whether it takes no part in a transaction of its caller's
 * @param leases which parameters want the lease
 */
record LockMethod(
        Method method,
        List<LockOperation> operations,
        boolean stage,
        @Nullable ReactiveAdapter reactive,
        boolean open,
        boolean apart,
        List<Integer> leases) {

    static LockMethod of(Method method, Class<?> targetClass, List<LockOperation> operations) {
        ResolvableType returned = returned(method, targetClass);
        Class<?> type = returned.resolve(Object.class);
        boolean stage = LaterTypes.isStage(type);
        ReactiveAdapter reactive = LaterTypes.reactive(type);
        Class<?>[] parameters = method.getParameterTypes();
        return new LockMethod(
                method,
                List.copyOf(operations),
                stage,
                reactive,
                !stage && reactive == null && LaterTypes.isOpen(returned),
                TransactionBoundary.isLeftAside(method, targetClass),
                IntStream.range(0, parameters.length)
                        .filter(i -> parameters[i] == Lease.class)
                        .boxed()
                        .toList());
    }

    /** What it returns, as far as that is declared, in this class. */
    static ResolvableType returned(Method method, Class<?> targetClass) {
        return ResolvableType.forMethodReturnType(method, ClassUtils.getUserClass(targetClass));
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
