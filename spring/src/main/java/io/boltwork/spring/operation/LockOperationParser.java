// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.InvalidNameException;
import io.boltwork.LockClient;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.OnLost;
import io.boltwork.spring.acquire.DeferredTypes;
import io.boltwork.spring.acquire.LockGroups;
import io.boltwork.spring.acquire.TargetKind;
import io.boltwork.spring.acquire.TargetType;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.BoltworkProperties.LockOverride;
import io.boltwork.spring.properties.LockDefaults;
import io.boltwork.spring.text.LockDefinitionException;
import io.boltwork.spring.text.LockExpressions;
import io.boltwork.spring.text.LockName;
import io.boltwork.spring.text.LockText;
import io.boltwork.spring.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Parses an annotation into an operation, and reports mistakes in it. */
public final class LockOperationParser {
    private final LockExpressions expressions;
    private final BoltworkProperties.Lock properties;
    private final LockDefaults defaults;
    private final LockOptionsParser options;
    private final LockOverrides overrides;

    public LockOperationParser(LockExpressions expressions, BoltworkProperties.Lock properties, LockDefaults defaults) {
        this.expressions = expressions;
        this.properties = properties;
        this.defaults = defaults;
        this.options = new LockOptionsParser(expressions, defaults);
        this.overrides = new LockOverrides(properties.names());
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
        String group = group(targetClass, method, annotation, name);
        LockOverride override = overrides.of(group, annotation.permits() != -1);
        if (override != null && !override.enabled()) {
            return null;
        }
        TargetType type = options.type(method, annotation, override);
        boolean async = LockMethod.isAsync(method, targetClass);
        LockOutcomes outcomes =
                LockOutcomes.of(annotation, override, defaults, async || type.kind() == TargetKind.SEMAPHORE);
        checkResult(method, targetClass);
        outcomes.check(method, async, type);
        return new LockOperation(
                LockExpressions.where(method),
                group,
                lockName(
                        method,
                        annotation,
                        LockName.of(
                                annotation.prefix().isEmpty()
                                        ? properties.prefix()
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

    private String group(Class<?> targetClass, Method method, DistributedLock annotation, LockText name) {
        if (!annotation.group().isEmpty()) {
            return annotation.group();
        }
        if (defaults.group() != null) {
            return defaults.group();
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
