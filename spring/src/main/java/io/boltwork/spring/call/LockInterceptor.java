// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.call.MethodLocking;
import io.boltwork.annotation.operation.LockClients;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.spring.acquire.SpringTransactions;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.spring.text.ExpressionCall;
import io.boltwork.spring.text.LockExpressions;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Executes methods under their locks. Thread-safe. */
public final class LockInterceptor implements MethodInterceptor {
    private final LockOperationSource source;
    private final LockExpressions expressions;
    private final MethodLocking locking;
    private final ApplicationEnd end;

    /** Takes suppliers that are resolved at the first call, because advice is created before all other beans. */
    public LockInterceptor(
            LockOperationSource source,
            LockExpressions expressions,
            LockClients clients,
            Supplier<LockHooks> hooks,
            Supplier<LockObservations> observations,
            ApplicationEnd end) {
        this.source = source;
        this.expressions = expressions;
        this.locking = new MethodLocking(
                clients,
                SingletonSupplier.of(hooks)::obtain,
                SingletonSupplier.of(observations)::obtain,
                SpringTransactions.INSTANCE,
                ReactiveTypes.INSTANCE,
                CapturedContext::of);
        this.end = end;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis());
        Class<?> targetClass = ClassUtils.getUserClass(target); // of a proxy, not the class that it hides
        LockMethod method = source.find(invocation.getMethod(), targetClass);
        if (method == null) {
            return invocation.proceed();
        }
        @SuppressWarnings("NullAway") // arguments may be null; they are only passed on
        Object[] arguments = invocation.getArguments();
        return locking.execute(
                method,
                new ExpressionCall(expressions, method.method(), arguments, target, targetClass),
                AdvisedCall.of(invocation, method.isAsync(), end));
    }
}
