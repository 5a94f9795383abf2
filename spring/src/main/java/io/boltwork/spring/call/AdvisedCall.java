// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.spring.operation.MovedCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * A call that an advice has intercepted.
 *
 * @param invocation the call
 * @param later whether the method is executed later, and perhaps repeatedly: then the invocation is one that no other
 *     code proceeds with
 * @param end decides whether callers notice that the method is not executed
 */
record AdvisedCall(ProxyMethodInvocation invocation, boolean later, ApplicationEnd end) implements Invocation {

    static AdvisedCall of(MethodInvocation invocation, boolean later, ApplicationEnd end) {
        ProxyMethodInvocation own = (ProxyMethodInvocation) invocation;
        return new AdvisedCall(later ? (ProxyMethodInvocation) own.invocableClone() : own, later, end);
    }

    @SuppressWarnings("NullAway") // arguments may be null; they are only passed on
    @Override
    public Object[] arguments() {
        return invocation.getArguments();
    }

    @Override
    public @Nullable Object proceed(Object[] arguments) throws Throwable {
        if (later) {
            return invocation.invocableClone(arguments).proceed();
        }
        invocation.setArguments(arguments);
        return invocation.proceed();
    }

    @Override
    public boolean isMoved() {
        return MovedCall.isMoved(invocation);
    }

    @Override
    public boolean isUnnoticed(Method method) {
        return end.isUnnoticed(method);
    }

    @Override
    public @Nullable Object fallback(Method fallback, Object[] arguments, boolean moved) throws Throwable {
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
