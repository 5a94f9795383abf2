// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.BackendException;
import io.boltwork.LockException;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Methods that are called in place of a method that is not executed, selected by the type of the exception that they
 * accept. Immutable.
 *
 * @param methods those with the more specific exception first, those without one last
 */
public record LockFallbacks(List<Method> methods) {

    /** Finds the methods that the annotation names. */
    public static LockFallbacks of(Method method, Class<?> targetClass, DistributedLock annotation) {
        Class<?> type = MethodHierarchy.userClass(targetClass);
        List<Method> all = MethodHierarchy.all(type);
        List<Method> found = new ArrayList<>();
        for (String name : annotation.fallback()) {
            List<Method> named = all.stream()
                    .filter(each ->
                            each.getName().equals(name) && fits(each, method, type) && isFor(each, method, type))
                    .toList();
            if (named.isEmpty()) {
                throw none(method, type, name);
            }
            named.forEach(each -> each.setAccessible(true));
            found.addAll(named);
        }
        found.sort(Comparator.comparingInt(each -> -depth(each, method)));
        return new LockFallbacks(List.copyOf(found));
    }

    private static LockDefinitionException none(Method method, Class<?> type, String name) {
        return LockDefinitionException.wrong(
                method,
                "fallback = \"" + name + "\": " + type.getName() + " has no such method with the parameters ("
                        + Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(","))
                        + ") that returns " + method.getReturnType().getSimpleName(),
                "Give it the return type and the parameters of " + method.getName() + ", optionally followed by a"
                        + " LockRefusedException, a BackendException or a LockException.",
                null);
    }

    /**
     * Returns whether the method has the parameters of the other one, optionally followed by an exception of a lock.
     */
    public static boolean fits(Method method, Method other, Class<?> type) {
        int same = other.getParameterCount();
        int count = method.getParameterCount();
        if (count != same && count != same + 1) {
            return false;
        }
        for (int i = 0; i < same; i++) {
            if (MethodHierarchy.parameter(method, i, type) != MethodHierarchy.parameter(other, i, type)) {
                return false;
            }
        }
        Class<?> last = count == same ? null : method.getParameterTypes()[same];
        return last == null
                || last.isAssignableFrom(LockRefusedException.class)
                || last.isAssignableFrom(BackendException.class);
    }

    private static boolean isFor(Method fallback, Method method, Class<?> type) {
        return !fallback.equals(method)
                && MethodHierarchy.boxed(DeclaredType.returned(method, type).type())
                        .isAssignableFrom(MethodHierarchy.boxed(
                                DeclaredType.returned(fallback, type).type()));
    }

    /** Returns the depth, in the class hierarchy, of the exception that a fallback accepts; 0 if it accepts none. */
    private static int depth(Method fallback, Method method) {
        int depth = 0;
        if (fallback.getParameterCount() > method.getParameterCount()) {
            Class<?>[] types = fallback.getParameterTypes();
            for (Class<?> type = types[types.length - 1]; type != null; type = type.getSuperclass()) {
                depth++;
            }
        }
        return depth;
    }

    /** Returns the method that accepts such an exception; {@code null} if there is none. */
    @Nullable
    Method find(Method method, Class<? extends LockException> exception) {
        for (Method each : methods) {
            int last = each.getParameterCount() - 1;
            if (last < method.getParameterCount() || each.getParameterTypes()[last].isAssignableFrom(exception)) {
                return each;
            }
        }
        return null;
    }

    /** Calls the fallback for that exception, on the thread to which another interceptor has moved the call. */
    @Nullable
    Object call(Method method, Invocation invocation, LockException failure, boolean moved) throws Throwable {
        Object[] arguments = invocation.arguments();
        Method fallback = Objects.requireNonNull(find(method, failure.getClass()));
        if (fallback.getParameterCount() > arguments.length) {
            arguments = Arrays.copyOf(arguments, arguments.length + 1);
            arguments[arguments.length - 1] = failure;
        }
        return invocation.fallback(fallback, arguments, moved);
    }
}
