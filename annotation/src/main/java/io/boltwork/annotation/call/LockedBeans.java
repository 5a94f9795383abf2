// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.operation.DeclaredLocks;
import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.operation.LockAnnotation;
import io.boltwork.annotation.operation.LockClients;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.annotation.operation.LockOverrides;
import io.boltwork.annotation.template.BeanCall;
import io.boltwork.annotation.template.Templates;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The beans of an application with annotated methods. Parses each annotation once. Thread-safe. */
public final class LockedBeans {
    private final boolean enabled;
    private final LockOperationParser parser;
    private final MethodLocking locking;
    private final Map<Called, Optional<LockMethod>> methods = new ConcurrentHashMap<>();

    private record Called(Method method, Class<?> bean) {}

    /** Prepares to execute methods; see {@link MethodLocking} for the parameters. */
    public LockedBeans(
            BoltworkConfig config,
            LockClients clients,
            LockGroups groups,
            Supplier<LockHooks> hooks,
            TransactionBoundary transactions,
            DeferredTypes types,
            Supplier<CallerContext> contexts) {
        this.enabled = config.isForMethods();
        Map<Class<?>, Templates> texts = new ConcurrentHashMap<>();
        this.parser = new LockOperationParser(
                type -> texts.computeIfAbsent(type, each -> new Templates(each, config::find)),
                clients,
                types,
                transactions,
                name -> config.client(name).lockSettings(),
                new LockOverrides(config.overrides(), BoltworkConfig.ERRORS));
        LockObservations observations = new LockObservations(LockObserver.NONE, groups);
        this.locking = new MethodLocking(clients, hooks, () -> observations, transactions, types, contexts);
    }

    /** Returns the locked method of a class; {@code null} if it is executed without locks. */
    public @Nullable LockMethod find(Method method, Class<?> bean) {
        return enabled
                ? methods.computeIfAbsent(
                                new Called(method, bean),
                                key -> Optional.ofNullable(parser.parse(method, bean, DeclaredLocks.of(method, bean))))
                        .orElse(null)
                : null;
    }

    /** Executes a call of a bean's method under its locks. */
    public @Nullable Object execute(LockMethod method, Object bean, Invocation invocation) throws Throwable {
        return locking.execute(method, new BeanCall(method.method(), invocation.arguments(), bean), invocation);
    }

    /** Parses the annotations of all beans, and reports mistakes in them and in settings for them. */
    public void check(Stream<Class<?>> beans) {
        if (enabled) {
            beans.distinct().forEach(this::check);
            for (RuntimeException mistake : parser.overrides().mistakes()) {
                throw mistake;
            }
        }
    }

    private void check(Class<?> bean) {
        for (Method method : MethodHierarchy.all(bean)) {
            List<LockAnnotation> locks = DeclaredLocks.of(method, bean);
            if (locks.isEmpty()) {
                checkOverridden(method, bean);
                continue;
            }
            int modifiers = method.getModifiers();
            if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
                throw LockDefinitionException.wrong(
                                method,
                                "it is private, static or final, so that no interceptor is called",
                                "Make it an instance method that is neither private nor final.",
                                null)
                        .of(locks.get(0).text());
            }
            find(method, bean);
        }
    }

    /** Rejects an annotation that has no effect, because this method overrides or implements the annotated one. */
    private static void checkOverridden(Method method, Class<?> bean) {
        for (Method each : MethodHierarchy.declarations(method, bean)) {
            Class<?> declaring = each.getDeclaringClass();
            if (DeclaredLocks.isAnnotated(each) || declaring.isInterface() && DeclaredLocks.isAnnotated(declaring)) {
                throw LockDefinitionException.wrong(
                        each,
                        "it has no effect on " + method.getDeclaringClass().getName() + "." + method.getName()
                                + ", because annotations of interfaces and of overridden methods are not inherited",
                        "Annotate that method.",
                        null);
            }
        }
    }
}
