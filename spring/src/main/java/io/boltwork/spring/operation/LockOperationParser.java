// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.InvalidNameException;
import io.boltwork.LockClient;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.OnLost;
import io.boltwork.spring.acquire.DeferredTypes;
import io.boltwork.spring.acquire.LockClients;
import io.boltwork.spring.acquire.LockGroups;
import io.boltwork.spring.acquire.TargetKind;
import io.boltwork.spring.acquire.TargetType;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.BoltworkProperties.LockOverride;
import io.boltwork.spring.properties.LockDefaults;
import io.boltwork.spring.properties.Spelling;
import io.boltwork.spring.text.LockDefinitionException;
import io.boltwork.spring.text.LockExpressions;
import io.boltwork.spring.text.LockName;
import io.boltwork.spring.text.LockText;
import io.boltwork.spring.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Parses an annotation into an operation, and reports mistakes in it. */
public final class LockOperationParser {
    private final LockExpressions expressions;
    private final BoltworkProperties properties;
    private final LockClients clients;
    private final LockOverrides overrides;

    public LockOperationParser(LockExpressions expressions, BoltworkProperties properties, LockClients clients) {
        this.expressions = expressions;
        this.properties = properties;
        this.clients = clients;
        this.overrides = new LockOverrides(properties.lock().names());
    }

    LockOverrides overrides() {
        return overrides;
    }

    /** Returns the operation; {@code null} if the properties disable this lock. */
    @Nullable
    LockOperation parse(Method method, Class<?> targetClass, LockAnnotation annotation) {
        try {
            return parse(method, targetClass, annotation.lock());
        } catch (LockDefinitionException wrong) {
            throw wrong.of(annotation.text());
        }
    }

    private @Nullable LockOperation parse(Method method, Class<?> targetClass, DistributedLock annotation) {
        LockExpressions texts = expressions.of(targetClass);
        LockText name = annotation.name().isEmpty()
                ? LockText.of(owner(method, targetClass).getName() + "." + method.getName())
                : texts.name(method, annotation.name());
        String annotated = annotation.client().isEmpty() ? "" : texts.resolved(method, "client", annotation.client());
        BoltworkProperties.Lock lock = properties.of(clients.named(annotated)).lock();
        String group = group(targetClass, method, annotation, name, lock.group());
        LockOverride override = overrides.of(group, annotation.permits() != -1);
        if (override != null && !override.enabled()) {
            return null;
        }
        String client = client(method, group, override, annotated);
        lock = properties.of(client).lock();
        LockDefaults defaults = lock.defaults();
        LockOptionsParser options = new LockOptionsParser(expressions, defaults);
        TargetType type = options.type(method, annotation, override);
        boolean async = LockMethod.isAsync(method, targetClass);
        LockOutcomes outcomes =
                LockOutcomes.of(annotation, override, defaults, async || type.kind() == TargetKind.SEMAPHORE);
        checkResult(method, targetClass);
        outcomes.check(method, async, type);
        return new LockOperation(
                LockExpressions.where(method),
                client,
                group,
                lockName(
                        method,
                        annotation,
                        LockName.of(
                                annotation.prefix().isEmpty()
                                        ? lock.prefix()
                                        : texts.resolved(method, "prefix", annotation.prefix()),
                                name,
                                Arrays.stream(annotation.keys())
                                        .map(key -> texts.key(method, key))
                                        .toList())),
                type,
                options.options(method, annotation, override, outcomes.onLost()),
                outcomes.mode(),
                options.waiting(method, annotation, override, outcomes.mode()),
                outcomes.onRefused(),
                outcomes.onUnavailable(),
                outcomes.fallbacks(method, targetClass, annotation),
                annotation.message().isEmpty() ? null : texts.message(method, annotation.message()),
                outcomes.onLost() == OnLost.IGNORE,
                annotation.condition().isEmpty() ? null : texts.condition(method, annotation.condition()),
                annotation.order());
    }

    /** Rejects a name that no lock can have, as far as it does not depend on the call. */
    private static LockName lockName(Method method, DistributedLock annotation, LockName name) {
        String literal = name.literal();
        try {
            if (literal != null) {
                LockClient.checkName(literal);
            }
            return name;
        } catch (InvalidNameException e) {
            throw LockExpressions.wrong(
                    method,
                    "name = \"" + annotation.name() + "\": " + e.getMessage(),
                    "Correct the name, its prefix and the properties that they contain.",
                    e);
        }
    }

    /** Returns the name of the client, which must be that of one bean. */
    private String client(Method method, String group, @Nullable LockOverride override, String annotated) {
        String configured = override == null ? null : override.client();
        String client = StringUtils.hasText(configured) ? configured : annotated;
        List<String> found = client.isEmpty() ? List.of() : clients.find(client);
        if (client.isEmpty() || found.size() == 1) {
            return clients.named(client);
        }
        Set<String> names = clients.names();
        String problem = found.isEmpty()
                ? "there is no LockClient with this name. The nearest one is '"
                        + Spelling.nearest(client, names).orElse("") + "'"
                : "it is a name of several LockClient beans: " + String.join(", ", found);
        String action = "The clients are " + String.join(", ", names) + ". Choose one of them, or add boltwork.clients."
                + client + ".* or a LockClient bean of that name.";
        throw StringUtils.hasText(configured)
                ? overrides.wrong(group, "client", "'" + client + "': " + problem + ".", action)
                : LockExpressions.wrong(method, "client = \"" + client + "\": " + problem, action, null);
    }

    private static String group(
            Class<?> targetClass,
            Method method,
            DistributedLock annotation,
            LockText name,
            @Nullable String otherwise) {
        if (!annotation.group().isEmpty()) {
            return annotation.group();
        }
        if (StringUtils.hasText(otherwise)) {
            return otherwise;
        }
        String start = annotation.name().isEmpty() ? "" : LockGroups.of(LockExpressions.literalStart(name));
        return start.isEmpty() ? owner(method, targetClass).getSimpleName() + "." + method.getName() : start;
    }

    /**
     * Returns the class that gives its name to a lock without a name. Generated classes have different names in each
     * JVM.
     */
    private static Class<?> owner(Method method, Class<?> targetClass) {
        return MethodHierarchy.isGenerated(targetClass)
                ? method.getDeclaringClass()
                : ClassUtils.getUserClass(targetClass);
    }

    /** Rejects results whose lock would be released before the work has ended: such a lock excludes nothing. */
    private static void checkResult(Method method, Class<?> targetClass) {
        boolean suspending = DeferredTypes.isSuspending(method);
        if (suspending && !DeferredTypes.suspendingWorks()) {
            throw LockExpressions.wrong(
                    method,
                    "it is a suspend function, and a library by which Spring's advice executes them is missing",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect. Or"
                            + " acquire the lock inside the function, with withLock of boltwork-kotlin.",
                    null);
        }
        ResolvableType returned = LockMethod.returned(method, targetClass);
        Class<?> endless = suspending ? DeferredTypes.endlessInSuspended(returned) : DeferredTypes.endlessIn(returned);
        if (endless != null) {
            boolean inside = endless != returned.resolve();
            throw LockExpressions.wrong(
                    method,
                    "it returns "
                            + (inside ? "a " + returned.resolve(Object.class).getSimpleName() + " of " : "")
                            + endless.getSimpleName()
                            + ", whose end cannot be observed, so the lock cannot be held until then",
                    "Return a CompletableFuture, a CompletionStage, a Mono or a Flux"
                            + (inside
                                    ? " of the "
                                            + returned.resolve(Object.class).getSimpleName()
                                    : "")
                            + ", or the computed value. Or annotate the method that does the work.",
                    null);
        }
    }
}
