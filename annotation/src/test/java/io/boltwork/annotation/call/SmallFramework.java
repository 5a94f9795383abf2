// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.GroupSettings;
import io.boltwork.annotation.operation.Invocation;
import io.boltwork.annotation.operation.LockAnnotation;
import io.boltwork.annotation.operation.LockClients;
import io.boltwork.annotation.operation.LockDefaults;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.annotation.operation.LockOverrides;
import io.boltwork.annotation.operation.LockSettings;
import io.boltwork.annotation.operation.ResultType;
import io.boltwork.annotation.operation.SettingErrors;
import io.boltwork.annotation.text.LockCall;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.LockText;
import io.boltwork.annotation.text.LockTexts;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The smallest framework: JDK proxies, and texts that are literals or the number of an argument. */
final class SmallFramework {
    private static final SettingErrors ERRORS = new SettingErrors() {
        @Override
        public RuntimeException invalid(String setting, Object value, String reason) {
            return new IllegalArgumentException(setting + " = " + value + ": " + reason);
        }

        @Override
        public RuntimeException wrong(String setting, String problem, String action) {
            return new IllegalArgumentException(setting + ": " + problem + " " + action);
        }

        @Override
        public String ofGroup(String group) {
            return "names." + group;
        }
    };

    private final LockOperationParser parser;
    private final MethodLocking locking;

    SmallFramework(LockClient client, Map<String, GroupSettings> groups) {
        LockClients clients = new OneClient(client);
        TransactionBoundary none = TransactionBoundary.NONE;
        DeferredTypes results = new NoPublishers();
        parser = new LockOperationParser(
                type -> new Numbers(),
                clients,
                results,
                none,
                name -> new LockSettings("small:", LockDefaults.standard()),
                new LockOverrides(groups, ERRORS));
        LockObservations observations = new LockObservations(LockObserver.NONE, new LockGroups(10, List.of()));
        LockHooks hooks = new LockHooks(null, null);
        locking = new MethodLocking(clients, () -> hooks, () -> observations, none, results, () -> GuardedCode::call);
    }

    LockOverrides settings() {
        return parser.overrides();
    }

    /** Returns a proxy, after all annotations have been parsed. */
    <T> T proxy(Class<T> type, T target) {
        for (Method method : target.getClass().getDeclaredMethods()) {
            parse(method, target);
        }
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Method own = target.getClass().getDeclaredMethod(method.getName(), method.getParameterTypes());
                    Object[] given = arguments == null ? new Object[0] : arguments;
                    LockMethod locked = parse(own, target);
                    Call call = new Call(own, given, target);
                    return locked == null
                            ? call.proceed(given)
                            : locking.execute(locked, new Place(own, given, target), call);
                }));
    }

    private @Nullable LockMethod parse(Method method, Object target) {
        List<LockAnnotation> annotations = Stream.of(method.getAnnotationsByType(DistributedLock.class))
                .map(each -> LockAnnotation.of(each, DistributedLock.class, null))
                .toList();
        return parser.parse(method, target.getClass(), annotations);
    }

    private record Call(Method method, Object[] arguments, Object target) implements Invocation {
        @Override
        public @Nullable Object proceed(Object[] own) throws Throwable {
            return fallback(method, own, false);
        }

        @Override
        public @Nullable Object fallback(Method called, Object[] own, boolean moved) throws Throwable {
            try {
                called.setAccessible(true);
                return called.invoke(target, own);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }
    }

    private static final class Place extends LockCall {
        Place(Method method, Object[] arguments, Object target) {
            super(method, arguments, target);
        }

        @Override
        public String where() {
            return "@DistributedLock on " + LockDefinitionException.where(method);
        }

        @Override
        protected @Nullable RuntimeException explained(RuntimeException thrown, String problem, String advice) {
            return null;
        }
    }

    private static final class Numbers implements LockTexts {
        @Override
        public String resolved(Method method, String attribute, String text) {
            return text;
        }

        @Override
        public LockText name(Method method, String text) {
            return LockText.of(text);
        }

        @Override
        public LockText key(Method method, String text) {
            int index = Integer.parseInt(text);
            return new LockText(text, List.of(new LockText.Part(text, true, call -> call.argument(index))));
        }

        @Override
        public LockText message(Method method, String text) {
            return LockText.of(text);
        }

        @Override
        public LockText.Part condition(Method method, String text) {
            return key(method, text).parts().get(0);
        }
    }

    private record OneClient(LockClient client) implements LockClients {
        @Override
        public LockClient get(String name) {
            return client;
        }

        @Override
        public List<String> find(String name) {
            return List.of();
        }

        @Override
        public String named(String name) {
            return name;
        }

        @Override
        public Set<String> names() {
            return Set.of("one");
        }
    }

    private static final class NoPublishers extends DeferredTypes {
        NoPublishers() {
            super("a CompletableFuture");
        }

        @Override
        public @Nullable ResultType publisher(Class<?> type) {
            return null;
        }
    }
}
