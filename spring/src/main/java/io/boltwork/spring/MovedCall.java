// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.StackWalker.StackFrame;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/*
 * The stack of such a thread does not lead to the caller of the proxy. Spring's own advice is recognized even if the
 * executor uses the caller's thread, because the caller waits there for the executor's task.
 */
/** Determines whether another advice, such as that of {@code @Async}, has moved a call to an executor. */
final class MovedCall {
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", MovedCall.class.getClassLoader());
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private MovedCall() {}

    /** Returns whether this thread executes the call for an executor, and may therefore wait. */
    static boolean isMoved(MethodInvocation invocation) {
        Class<?> proxy = ((ProxyMethodInvocation) invocation).getProxy().getClass();
        boolean direct = STACK.walk(frames -> frames.map(StackFrame::getDeclaringClass)
                .filter(type -> type == proxy || type == AsyncExecutionInterceptor.class)
                .findFirst()
                .filter(type -> type == proxy)
                .isPresent());
        return !direct && !(REACTOR && Schedulers.isInNonBlockingThread());
    }
}
