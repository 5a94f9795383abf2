// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.call.LeaseCheck;
import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Lets the transaction that a method itself has begun verify its leases. It is inside of the transaction. */
@Singleton
@Requires(beans = DataTransactions.class)
@InterceptorBean(DistributedLock.class)
final class CommitInterceptor implements MethodInterceptor<Object, Object> {
    /** The attribute of a call whose method may begin a transaction. */
    static final String CHECK = CommitInterceptor.class.getName();

    private final DataTransactions transactions;

    CommitInterceptor(DataTransactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public int getOrder() {
        return InterceptPhase.TRANSACTION.getPosition() + 1;
    }

    @Override
    public @Nullable Object intercept(MethodInvocationContext<Object, Object> context) {
        context.getAttribute(CHECK, LeaseCheck.class).ifPresent(check -> transactions.beforeCommit(check.begun()));
        return context.proceed();
    }
}
