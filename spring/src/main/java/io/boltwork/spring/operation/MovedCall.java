// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/*
 * The stack of such a thread does not lead to the caller of the proxy. Spring's own advice is recognized even if the
 * executor uses the caller's thread, because the caller waits there for the executor's task.
 */
/** Determines whether another advice, such as that of {@code @Async}, has moved a call to an executor. */
public final class MovedCall {
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", MovedCall.class.getClassLoader());
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private MovedCall() {}

    /** Returns whether this thread executes the call for an executor, and may therefore wait. */
    public static boolean isMoved(MethodInvocation invocation) {
        Class<?> proxy = ((ProxyMethodInvocation) invocation).getProxy().getClass();
        boolean direct = STACK.walk(frames -> frames.map(StackFrame::getDeclaringClass)
                .filter(type -> type == proxy || type == AsyncExecutionInterceptor.class || type == Staying.class)
                .findFirst()
                .filter(type -> type == proxy)
                .isPresent());
        return !direct && !(REACTOR && Schedulers.isInNonBlockingThread());
    }

    /**
     * Returns the proxy for a further call that replaces this one. If this call has been moved, that proxy does not
     * move the further call again: this thread waits for its result, and the executor may have no other thread.
     */
    public static Object proxy(MethodInvocation invocation, boolean moved) {
        Object proxy = ((ProxyMethodInvocation) invocation).getProxy();
        if (!moved
                || !(proxy instanceof Advised advised)
                || Arrays.stream(advised.getAdvisors()).noneMatch(MovedCall::moves)) {
            return proxy;
        }
        ProxyFactory staying = new ProxyFactory(advised.getProxiedInterfaces());
        staying.setProxyTargetClass(advised.isProxyTargetClass());
        staying.setTargetSource(advised.getTargetSource());
        for (Advisor each : advised.getAdvisors()) {
            staying.addAdvisor(moves(each) ? new DefaultPointcutAdvisor(new Staying()) : each);
        }
        return staying.getProxy(proxy.getClass().getClassLoader());
    }

    /** Takes the place of the advice that has moved a call. */
    private record Staying() implements MethodInterceptor {
        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            return invocation.proceed();
        }
    }

    /** Returns whether an advice moves calls to an executor. */
    public static boolean moves(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor;
    }
}
