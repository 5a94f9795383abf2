// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.call.GuardedCode;
import io.boltwork.annotation.call.LockedBeans;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.cdi.call.BeanInvocation;
import io.boltwork.cdi.call.CdiTypes;
import io.boltwork.cdi.call.CommitCheck;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes the calls of all beans under their locks. Thread-safe. */
@Singleton
public class LockCalls {
    private static final String KEY = LockCalls.class.getName();

    private final TransactionBoundary transactions;
    private final LockedBeans locked;

    /** Finds the transactions of an application; there is such a bean if it has the API. */
    interface Transactions {
        TransactionBoundary find();
    }

    /** Captures the contexts of callers; there is such a bean if the application has a library for that. */
    interface Contexts extends Supplier<CallerContext> {}

    @Inject
    LockCalls(LockBeans beans, Instance<Transactions> transactions, Instance<Contexts> contexts) {
        this.transactions = transactions.isResolvable() ? transactions.get().find() : TransactionBoundary.NONE;
        this.locked = new LockedBeans(
                MicroProfileSettings.current(),
                beans.clients(),
                beans.groups(),
                beans::hooks,
                this.transactions,
                new CdiTypes(),
                contexts.isResolvable() ? contexts.get() : () -> GuardedCode::call);
    }

    LockedBeans locked() {
        return locked;
    }

    /** Returns the class of a bean that the application has; containers generate a subclass that intercepts. */
    private static Class<?> written(Class<?> type) {
        Class<?> own = type;
        while (own.getName().contains("$$") || own.getName().endsWith("_Subclass")) {
            own = own.getSuperclass();
        }
        return own;
    }

    /** Executes a call under its locks, unless another interceptor of the same call has done that. */
    @Nullable
    Object execute(InvocationContext context) throws Exception {
        LockMethod method = context.getContextData().containsKey(KEY)
                ? null
                : locked.find(context.getMethod(), written(context.getTarget().getClass()));
        if (method == null) {
            return context.proceed();
        }
        context.getContextData().put(KEY, method);
        CommitCheck.prepare(method, transactions, context);
        try {
            return locked.execute(method, context.getTarget(), new BeanInvocation(context));
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable other) { // not possible for a method of Java
            throw new IllegalStateException(other);
        }
    }
}
