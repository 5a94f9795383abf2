// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.call.LeaseCheck;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.micronaut.call.BeanInvocation;
import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.Intercepted;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Executes methods under their locks. It is outside of transactions, and inside of retries and asynchronous calls. */
@Singleton
@InterceptorBean(DistributedLock.class)
final class LockInterceptor implements MethodInterceptor<Object, Object> {
    private final LockCalls calls;

    LockInterceptor(LockCalls calls) {
        this.calls = calls;
    }

    @Override
    public int getOrder() {
        return (InterceptPhase.ASYNC.getPosition() + InterceptPhase.TRANSACTION.getPosition()) / 2;
    }

    @Override
    public @Nullable Object intercept(MethodInvocationContext<Object, Object> context) {
        LockMethod method = calls.locked().find(context.getTargetMethod(), written(context));
        if (method == null) {
            return context.proceed();
        }
        LeaseCheck check = LeaseCheck.of(method, calls.transactions());
        if (check != null) {
            context.setAttribute(CommitInterceptor.CHECK, check);
        }
        try {
            return calls.locked().execute(method, context.getTarget(), new BeanInvocation(context, this));
        } catch (Throwable thrown) {
            throw LockInterceptor.<RuntimeException>same(thrown);
        }
    }

    /** Returns the class or interface that the application has; Micronaut generates a class that intercepts. */
    private static Class<?> written(MethodInvocationContext<Object, Object> context) {
        Class<?> type = context.getTarget().getClass();
        Class<?> parent = type.getSuperclass();
        return !Intercepted.class.isAssignableFrom(type)
                ? type
                : parent == Object.class ? context.getDeclaringType() : parent;
    }

    /** Returns an exception that the method declares, but {@link MethodInterceptor} does not. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E same(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
