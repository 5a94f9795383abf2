// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.LeaseLostException;
import io.boltwork.annotation.operation.Invocation;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A call that an interceptor has. Its fallback is called on the object itself. Thread-safe. */
public final class BeanInvocation implements Invocation {
    /** A task of Jakarta Concurrency, whose interceptor is outside of all others. */
    private static final String ASYNCHRONOUS = "jakarta.enterprise.concurrent.Asynchronous";

    private final InvocationContext context;

    /** The call has one array of parameters, which several subscribers would change. */
    private final ReentrantLock proceeding = new ReentrantLock();

    public BeanInvocation(InvocationContext context) {
        this.context = context;
    }

    @Override
    @SuppressWarnings("NullAway") // arguments may be null; they are only passed on
    public Object[] arguments() {
        Object[] arguments = context.getParameters();
        return arguments == null ? new Object[0] : arguments;
    }

    @Override
    public @Nullable Object proceed(Object[] arguments) throws Throwable {
        proceeding.lock();
        try {
            if (arguments.length > 0) {
                context.setParameters(arguments);
            }
            return context.proceed();
        } catch (Exception failure) {
            LeaseLostException lost = CommitCheck.lost(context);
            if (lost == null || lost == failure) {
                throw failure;
            }
            lost.addSuppressed(failure);
            throw lost;
        } finally {
            proceeding.unlock();
        }
    }

    @Override
    public @Nullable Object fallback(Method fallback, Object[] arguments, boolean moved) throws Throwable {
        try {
            return fallback.invoke(context.getTarget(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public boolean isMoved() {
        Method method = context.getMethod();
        return Stream.of(method.getAnnotations(), method.getDeclaringClass().getAnnotations())
                .flatMap(Arrays::stream)
                .anyMatch(each -> each.annotationType().getName().equals(ASYNCHRONOUS));
    }
}
