// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.call.GuardedCode;
import io.boltwork.annotation.call.MethodLocking;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.annotation.operation.LockOverrides;
import io.boltwork.cdi.call.Annotations;
import io.boltwork.cdi.call.BeanInvocation;
import io.boltwork.cdi.call.CdiTypes;
import io.boltwork.cdi.call.CommitCheck;
import io.boltwork.cdi.config.BoltworkConfig;
import io.boltwork.cdi.text.BeanCall;
import io.boltwork.cdi.text.Templates;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes the calls of all beans under their locks. Parses each annotation once. Thread-safe. */
@Singleton
public class LockCalls {
    private static final String KEY = LockCalls.class.getName();

    private final boolean enabled;
    private final TransactionBoundary transactions;
    private final LockOperationParser parser;
    private final MethodLocking locking;
    private final Map<Called, Optional<LockMethod>> methods = new ConcurrentHashMap<>();

    private record Called(Method method, Class<?> bean) {}

    /** Finds the transactions of an application; there is such a bean if it has the API. */
    interface Transactions {
        TransactionBoundary find();
    }

    /** Captures the contexts of callers; there is such a bean if the application has a library for that. */
    interface Contexts extends Supplier<CallerContext> {}

    @Inject
    LockCalls(LockBeans beans, Instance<Transactions> transactions, Instance<Contexts> contexts) {
        BoltworkConfig config = BoltworkConfig.current();
        this.enabled = config.isForMethods();
        this.transactions = transactions.isResolvable() ? transactions.get().find() : TransactionBoundary.NONE;
        CdiTypes types = new CdiTypes();
        Map<Class<?>, Templates> texts = new ConcurrentHashMap<>();
        this.parser = new LockOperationParser(
                type -> texts.computeIfAbsent(type, each -> new Templates(each, config::find)),
                beans.clients(),
                types,
                this.transactions,
                name -> config.client(name).lockSettings(),
                new LockOverrides(config.overrides(), BoltworkConfig.ERRORS));
        LockObservations observations = new LockObservations(LockObserver.NONE, beans.groups());
        this.locking = new MethodLocking(
                beans.clients(),
                beans::hooks,
                () -> observations,
                this.transactions,
                types,
                contexts.isResolvable() ? contexts.get() : () -> GuardedCode::call);
    }

    /** Returns the locked method; {@code null} if it is executed without locks. */
    @Nullable
    LockMethod find(Method method, Class<?> bean) {
        return methods.computeIfAbsent(
                        new Called(method, bean),
                        key -> Optional.ofNullable(parser.parse(method, bean, Annotations.of(method, bean))))
                .orElse(null);
    }

    /** Returns the class of a bean that the application has; containers generate a subclass that intercepts. */
    private static Class<?> written(Class<?> type) {
        Class<?> own = type;
        while (own.getName().contains("$$") || own.getName().endsWith("_Subclass")) {
            own = own.getSuperclass();
        }
        return own;
    }

    LockOperationParser parser() {
        return parser;
    }

    /** Executes a call under its locks, unless another interceptor of the same call has done that. */
    @Nullable
    Object execute(InvocationContext context) throws Exception {
        LockMethod method = enabled && !context.getContextData().containsKey(KEY)
                ? find(context.getMethod(), written(context.getTarget().getClass()))
                : null;
        if (method == null) {
            return context.proceed();
        }
        context.getContextData().put(KEY, method);
        CommitCheck.prepare(method, transactions, context);
        BeanInvocation invocation = new BeanInvocation(context);
        try {
            return locking.execute(
                    method, new BeanCall(method.method(), invocation.arguments(), context.getTarget()), invocation);
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable other) { // not possible for a method of Java
            throw new IllegalStateException(other);
        }
    }
}
