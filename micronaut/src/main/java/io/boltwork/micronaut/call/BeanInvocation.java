// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.call;

import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.operation.Invocation;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import io.micronaut.core.propagation.PropagatedContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A call that an interceptor has. Its fallback is called on the object that intercepts. Thread-safe. */
public final class BeanInvocation implements Invocation {
    /** A task, whose interceptor is outside of that of locks. */
    private static final String ASYNC = "io.micronaut.scheduling.annotation.Async";

    private final MethodInvocationContext<Object, Object> context;
    private final MethodInterceptor<Object, Object> interceptor;
    private final Object[] arguments;

    /** The call has one array of arguments and one position in the chain, which several subscribers would change. */
    private final ReentrantLock proceeding = new ReentrantLock();

    public BeanInvocation(
            MethodInvocationContext<Object, Object> context, MethodInterceptor<Object, Object> interceptor) {
        this.context = context;
        this.interceptor = interceptor;
        this.arguments = context.getParameterValues().clone();
    }

    /** Captures the values that Micronaut propagates, such as the request. */
    public static CallerContext contexts() {
        PropagatedContext captured = PropagatedContext.getOrEmpty();
        return body -> {
            try (PropagatedContext.Scope scope = captured.propagate()) {
                return body.call();
            }
        };
    }

    @Override
    public Object[] arguments() {
        return arguments;
    }

    @Override
    public @Nullable Object proceed(Object[] changed) {
        proceeding.lock();
        try {
            System.arraycopy(changed, 0, context.getParameterValues(), 0, changed.length);
            return context.proceed(interceptor);
        } finally {
            proceeding.unlock();
        }
    }

    @Override
    public @Nullable Object fallback(Method fallback, Object[] changed, boolean moved) throws Throwable {
        try {
            return fallback.invoke(context.getTarget(), changed);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public boolean isMoved() {
        return context.hasStereotype(ASYNC);
    }
}
