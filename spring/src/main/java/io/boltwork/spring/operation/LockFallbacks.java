// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.BackendException;
import io.boltwork.LockException;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.LockRefusedException;
import io.boltwork.spring.text.LockDefinitionException;
import io.boltwork.spring.text.LockExpressions;
import io.boltwork.spring.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Methods that are called in place of a method that is not executed, selected by the type of the exception that they
 * accept. Immutable.
 *
 * @param methods those with the more specific exception first, those without one last
 */
record LockFallbacks(List<Method> methods) {

    /** Finds the methods that the annotation names. */
    static LockFallbacks of(Method method, Class<?> targetClass, DistributedLock annotation) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
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
        return LockExpressions.wrong(
                method,
                "fallback = \"" + name + "\": " + type.getName() + " has no such method with the parameters ("
                        + StringUtils.arrayToCommaDelimitedString(Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toArray())
                        + ") that returns " + method.getReturnType().getSimpleName(),
                "Give it the return type and the parameters of " + method.getName() + ", optionally followed by a"
                        + " LockRefusedException, a BackendException or a LockException.",
                null);
    }

    /**
     * Returns whether the method has the parameters of the other one, optionally followed by an exception of a lock.
     */
    static boolean fits(Method method, Method other, Class<?> type) {
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
                && ClassUtils.isAssignable(
                        LockMethod.returned(method, type).resolve(Object.class),
                        LockMethod.returned(fallback, type).resolve(Object.class));
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

    /**
     * Calls the fallback for that exception. The call goes through the proxy if possible, so that the fallback's own
     * advice applies. If another advice has moved the call to an executor, the fallback stays there.
     */
    @Nullable
    Object call(MethodInvocation invocation, LockException failure, boolean moved) throws Throwable {
        @SuppressWarnings("NullAway") // arguments may be null; they are only passed on
        Object[] arguments = invocation.getArguments();
        Method fallback = Objects.requireNonNull(find(invocation.getMethod(), failure.getClass()));
        if (fallback.getParameterCount() > arguments.length) {
            arguments = Arrays.copyOf(arguments, arguments.length + 1);
            arguments[arguments.length - 1] = failure;
        }
        Object proxy = MovedCall.proxy(invocation, moved);
        Object target = Objects.requireNonNull(invocation.getThis());
        Method advised = advised(fallback, proxy, target.getClass());
        return advised == null
                ? AopUtils.invokeJoinpointUsingReflection(target, fallback, arguments)
                : AopUtils.invokeJoinpointUsingReflection(proxy, advised, arguments);
    }

    /**
     * Returns the method to call on a proxy. Returns {@code null} if the call would bypass the proxy's interception,
     * because a class-based proxy has no initialized fields.
     */
    private static @Nullable Method advised(Method fallback, Object proxy, Class<?> targetClass) {
        if (Proxy.isProxyClass(proxy.getClass())) {
            return MethodHierarchy.declarations(fallback, ClassUtils.getUserClass(targetClass)).stream()
                    .filter(each -> each.getDeclaringClass().isInterface()
                            && each.getDeclaringClass().isInstance(proxy))
                    .findFirst()
                    .orElse(null);
        }
        int modifiers = fallback.getModifiers();
        return MethodHierarchy.isVisible(fallback, proxy.getClass())
                        && !Modifier.isStatic(modifiers)
                        && !Modifier.isFinal(modifiers)
                ? fallback
                : null;
    }
}
