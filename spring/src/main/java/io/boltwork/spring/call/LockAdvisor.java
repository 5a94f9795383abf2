// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.spring.operation.MovedCall;
import java.lang.reflect.Method;
import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Applies locks to methods with {@link DistributedLock}. */
public final class LockAdvisor extends AbstractPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    private final transient LockInterceptor advice;
    private final transient Pointcut pointcut;

    public LockAdvisor(LockInterceptor advice, LockOperationSource source, int order) {
        this.advice = advice;
        this.pointcut = new Annotated(source);
        setOrder(order);
    }

    @Override
    public LockInterceptor getAdvice() {
        return advice;
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    /**
     * Moves the lock of a proxy inside the advice that submits calls to an executor. Otherwise, a lock would be
     * released before the method has ended, and the executor's tasks would have no context of the caller.
     */
    public static void placeInsideExecutors(Advised proxy) {
        Advisor[] advisors = proxy.getAdvisors();
        int lock = -1;
        int executor = -1;
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] instanceof LockAdvisor) {
                lock = i;
            } else if (MovedCall.moves(advisors[i])) {
                executor = i;
            }
        }
        if (lock >= 0 && lock < executor && !proxy.isFrozen()) {
            proxy.removeAdvisor(lock);
            proxy.addAdvisor(executor, advisors[lock]);
        }
    }

    private static final class Annotated extends StaticMethodMatcherPointcut {
        private final LockOperationSource source;

        Annotated(LockOperationSource source) {
            this.source = source;
            setClassFilter((ClassFilter) LockOperationSource::isCandidate);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return source.find(method, targetClass) != null;
        }
    }
}
