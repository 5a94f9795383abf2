// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.Lease;
import io.boltwork.spring.LeaseOf;
import io.boltwork.spring.acquire.DeferredTypes;
import io.boltwork.spring.acquire.TransactionBoundary;
import io.boltwork.spring.text.LockExpressions;
import io.boltwork.spring.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A method that is executed under locks. Immutable.
 *
 * @param method the most specific method
 * @param operations its locks
 * @param suspending whether it is a Kotlin {@code suspend} function
 * @param stage whether it returns a stage
 * @param reactive the adapter for the returned type, or for the publisher as which Spring executes a {@code suspend}
 *     function; {@code null} if the method is not reactive
 * @param open whether the returned object decides if the result comes later, because the return type does not say so
 * @param apart whether the method takes no part in the caller's transaction
 * @param leases the parameters that receive a lease
 */
public record LockMethod(
        Method method,
        List<LockOperation> operations,
        boolean suspending,
        boolean stage,
        @Nullable ReactiveAdapter reactive,
        boolean open,
        boolean apart,
        List<LeaseParameter> leases) {

    /**
     * A parameter that receives a lease.
     *
     * @param index the index of the parameter
     * @param operation the lock whose lease it receives
     */
    record LeaseParameter(int index, LockOperation operation) {}

    /**
     * Creates the description of a method. The operations are those of the annotations, in the same order; {@code null}
     * for a lock that is disabled.
     */
    static LockMethod of(
            Method method,
            Class<?> targetClass,
            List<LockAnnotation> annotations,
            List<@Nullable LockOperation> operations) {
        ResolvableType returned = returned(method, targetClass);
        Class<?> type = returned.resolve(Object.class);
        boolean suspending = DeferredTypes.isSuspending(method);
        boolean stage = !suspending && DeferredTypes.isStage(type);
        ReactiveAdapter reactive = suspending ? DeferredTypes.suspending(returned) : DeferredTypes.reactive(type);
        return new LockMethod(
                method,
                operations.stream().filter(Objects::nonNull).toList(),
                suspending,
                stage,
                reactive,
                !stage && reactive == null && DeferredTypes.isOpen(returned),
                TransactionBoundary.isLeftAside(method, targetClass),
                leases(method, targetClass, annotations, operations));
    }

    private static List<LeaseParameter> leases(
            Method method,
            Class<?> targetClass,
            List<LockAnnotation> annotations,
            List<@Nullable LockOperation> operations) {
        List<LeaseParameter> leases = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (method.getParameterTypes()[i] == Lease.class) {
                LockOperation operation = operations.get(annotation(method, targetClass, i, annotations));
                if (operation != null) {
                    leases.add(new LeaseParameter(i, operation));
                }
            }
        }
        return List.copyOf(leases);
    }

    /** Returns the index of the annotation whose lease a parameter receives. */
    private static int annotation(Method method, Class<?> targetClass, int index, List<LockAnnotation> annotations) {
        String said = leaseOf(method, targetClass, index);
        List<LockAnnotation> found = said == null ? annotations : named(said, annotations);
        if (found.size() != 1) {
            throw LockExpressions.wrong(
                    method,
                    said == null
                            ? "parameter " + index + " is a Lease, but the method has several locks"
                            : "@LeaseOf(\"" + said + "\") matches " + (found.isEmpty() ? "none" : "several")
                                    + " of the method's locks",
                    "Add @LeaseOf(..) to the parameter, with one of "
                            + annotations.stream()
                                    .map(each -> '"' + each.withKeys() + '"')
                                    .collect(Collectors.joining(", "))
                            + ", or a group.",
                    null);
        }
        return annotations.indexOf(found.get(0));
    }

    private static List<LockAnnotation> named(String said, List<LockAnnotation> annotations) {
        List<Function<LockAnnotation, String>> titles = List.of(
                LockAnnotation::withKeys,
                each -> each.lock().name(),
                each -> each.lock().group());
        List<LockAnnotation> found = List.of();
        for (int i = 0; i < titles.size() && found.size() != 1; i++) {
            Function<LockAnnotation, String> title = titles.get(i);
            List<LockAnnotation> same = annotations.stream()
                    .filter(each -> title.apply(each).equals(said))
                    .toList();
            found = same.isEmpty() ? found : same;
        }
        return found;
    }

    private static @Nullable String leaseOf(Method method, Class<?> targetClass, int index) {
        for (Method each : MethodHierarchy.declarations(method, ClassUtils.getUserClass(targetClass))) {
            LeaseOf said = each.getParameters()[index].getAnnotation(LeaseOf.class);
            if (said != null) {
                return said.value();
            }
        }
        return null;
    }

    /** Returns the declared type of the result, as resolved in this class. */
    static ResolvableType returned(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        return DeferredTypes.isSuspending(method)
                ? ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, type)
                        .getGeneric(0)
                : ResolvableType.forMethodReturnType(method, type);
    }

    /** Returns whether the method takes part in a transaction of this thread. */
    public boolean joinsTransaction() {
        return !apart && TransactionBoundary.isThere();
    }

    public boolean isAsync() {
        return stage || reactive != null;
    }

    /** Returns whether the method returns before its work has ended. */
    public static boolean isAsync(Method method, Class<?> targetClass) {
        Class<?> type = returned(method, targetClass).resolve(Object.class);
        return DeferredTypes.isSuspending(method)
                || DeferredTypes.isStage(type)
                || DeferredTypes.reactive(type) != null;
    }

    public boolean declares(Class<? extends Exception> exception) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isAssignableFrom(exception));
    }
}
