package io.boltwork.spring;

import io.boltwork.LockOptions;
import io.boltwork.spring.BoltworkProperties.LockOverride;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Makes an operation of an annotation, and says what is wrong with it. */
final class LockOperationParser {
    private final LockExpressions expressions;
    private final BoltworkProperties.Lock properties;

    LockOperationParser(LockExpressions expressions, BoltworkProperties.Lock properties) {
        this.expressions = expressions;
        this.properties = properties;
    }

    /** {@code null} if the properties say that this lock is not taken. */
    @Nullable
    LockOperation parse(Method method, Class<?> targetClass, DistributedLock annotation) {
        LockText name = name(method, targetClass, annotation);
        String group = group(targetClass, method, annotation, name);
        LockOverride override = properties.names().get(group);
        if (override != null && !override.enabled()) {
            return null;
        }
        LockMode mode = override != null && override.mode() != null ? override.mode() : annotation.mode();
        OnRefused onRefused =
                override != null && override.onRefused() != null ? override.onRefused() : annotation.onRefused();
        OnLost onLost = override != null && override.onLost() != null ? override.onLost() : annotation.onLost();
        Duration wait = override != null && override.waitFor() != null
                ? override.waitFor()
                : one(method, "waitTime", annotation.waitTime(), "waitFor", annotation.waitFor());
        if (wait == null && mode != LockMode.LOCK) {
            wait = Duration.ZERO;
        }
        LockMethod shape = LockMethod.of(method, targetClass, List.of());
        checkResult(method, targetClass);
        check(method, shape, mode, onRefused, onLost, annotation);
        return new LockOperation(
                LockExpressions.where(method),
                group,
                LockName.of(
                        LockExpressions.where(method),
                        annotation.prefix().isEmpty()
                                ? properties.prefix()
                                : expressions.resolved(method, "prefix", annotation.prefix()),
                        name,
                        Arrays.stream(annotation.keys())
                                .map(key -> expressions.key(method, key))
                                .toList()),
                options(method, annotation, override, onLost),
                mode,
                wait,
                onRefused,
                onRefused == OnRefused.FALLBACK && mode != LockMode.SKIP
                        ? fallback(method, targetClass, annotation)
                        : null,
                annotation.message().isEmpty() ? null : expressions.text(method, "message", annotation.message()),
                onLost == OnLost.IGNORE,
                annotation.condition().isEmpty()
                        ? null
                        : expressions.expression(method, "condition", annotation.condition()),
                annotation.order());
    }

    private LockText name(Method method, Class<?> targetClass, DistributedLock annotation) {
        String said = annotation.name();
        return said.isEmpty()
                ? LockText.of(ClassUtils.getUserClass(targetClass).getName() + "." + method.getName())
                : expressions.name(method, said);
    }

    private static String group(Class<?> targetClass, Method method, DistributedLock annotation, LockText name) {
        if (!annotation.group().isEmpty()) {
            return annotation.group();
        }
        String start = annotation.name().isEmpty() ? "" : LockGroups.of(LockExpressions.literalStart(name));
        return start.isEmpty() ? ClassUtils.getUserClass(targetClass).getSimpleName() + "." + method.getName() : start;
    }

    private LockOptions options(
            Method method, DistributedLock annotation, @Nullable LockOverride override, OnLost onLost) {
        Duration lease = override != null && override.lease() != null
                ? override.lease()
                : one(method, "leaseTime", annotation.leaseTime(), "lease", annotation.lease());
        Duration minHold = override != null && override.minHold() != null
                ? override.minHold()
                : duration(method, "minHold", annotation.minHold());
        Duration maxHold = override != null && override.maxHold() != null
                ? override.maxHold()
                : duration(method, "maxHold", annotation.maxHold());
        LockType type = override != null && override.type() != null ? override.type() : annotation.type();
        try {
            LockOptions options = lease == null ? LockOptions.defaults() : LockOptions.fixedLease(lease);
            if (maxHold != null) {
                options = options.withMaxHold(maxHold);
            }
            if (minHold != null) {
                options = options.withMinHold(minHold);
            }
            if (type == LockType.FAIR) {
                options = options.withFairness(LockOptions.Fairness.FIFO);
            }
            return onLost == OnLost.INTERRUPT ? options.withOnLoss(LockOptions.OnLoss.INTERRUPT) : options;
        } catch (IllegalArgumentException e) {
            throw LockExpressions.wrong(
                    method,
                    String.valueOf(e.getMessage()),
                    "Choose durations that fit together, here or in the properties.",
                    e);
        }
    }

    private @Nullable Duration one(Method method, String number, long seconds, String text, String said) {
        if (seconds >= 0 && !said.isEmpty()) {
            throw LockExpressions.wrong(
                    method,
                    "both " + number + " = " + seconds + " and " + text + " = \"" + said + "\" are given",
                    "Leave one of them out.",
                    null);
        }
        return seconds >= 0 ? Duration.ofSeconds(seconds) : duration(method, text, said);
    }

    private @Nullable Duration duration(Method method, String attribute, String said) {
        if (said.isEmpty()) {
            return null;
        }
        String text = expressions.resolved(method, attribute, said).strip();
        try {
            if (!text.isEmpty() && text.chars().allMatch(Character::isDigit)) {
                throw new IllegalArgumentException("'" + text + "' has no unit");
            }
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw LockExpressions.wrong(
                    method,
                    attribute + " = \"" + said + "\" is not a duration: " + e.getMessage(),
                    "Write such as 500ms, 30s, 5m or PT30S.",
                    e);
        }
    }

    /** A lock that is given back before the work has ended excludes nothing. */
    private static void checkResult(Method method, Class<?> targetClass) {
        if (LaterTypes.isSuspending(method.getParameterTypes())) {
            throw LockExpressions.wrong(
                    method,
                    "it is a suspend function, which returns when it suspends for the first time, and not when its work"
                            + " has ended",
                    "Return a CompletableFuture (future { .. }) or a Mono (mono { .. }), or take the lock in the function"
                            + " with LockTemplate.executeAsync(..).await().",
                    null);
        }
        ResolvableType returned = LockMethod.returned(method, targetClass);
        Class<?> endless = LaterTypes.endlessIn(returned);
        if (endless != null) {
            boolean inside = endless != returned.resolve();
            throw LockExpressions.wrong(
                    method,
                    "it returns "
                            + (inside ? "a " + returned.resolve(Object.class).getSimpleName() + " of " : "")
                            + endless.getSimpleName()
                            + ", and it cannot be told when the work of that has ended, so that"
                            + " the lock cannot be held until then",
                    "Return a CompletableFuture, a CompletionStage, a Mono or a Flux"
                            + (inside
                                    ? " of the "
                                            + returned.resolve(Object.class).getSimpleName()
                                    : "")
                            + ", or what has been computed; or put the annotation on the method that does the work.",
                    null);
        }
    }

    private static void check(
            Method method,
            LockMethod shape,
            LockMode mode,
            OnRefused onRefused,
            OnLost onLost,
            DistributedLock annotation) {
        Class<?> type = method.getReturnType();
        if (onLost == OnLost.INTERRUPT && shape.isAsync()) {
            throw LockExpressions.wrong(
                    method,
                    "onLost = INTERRUPT, but it returns " + type.getSimpleName() + ", and no thread holds its lock",
                    "Leave onLost out, or listen to whenLost() of a parameter of type Lease.",
                    null);
        }
        if (onRefused == OnRefused.RETURN_NULL && mode != LockMode.SKIP && type.isPrimitive() && type != void.class) {
            throw LockExpressions.wrong(
                    method,
                    "onRefused = RETURN_NULL, but it returns " + type + ", which cannot be null",
                    "Return " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()
                            + ", or choose mode = SKIP, which returns zero or false.",
                    null);
        }
        if ((onRefused == OnRefused.FALLBACK) == annotation.fallback().isEmpty()) {
            throw LockExpressions.wrong(
                    method,
                    annotation.fallback().isEmpty()
                            ? "onRefused = FALLBACK, but no fallback is named"
                            : "fallback = \"" + annotation.fallback() + "\" without onRefused = FALLBACK",
                    "Give both: onRefused = OnRefused.FALLBACK, fallback = \"method\".",
                    null);
        }
    }

    static Method fallback(Method method, Class<?> targetClass, DistributedLock annotation) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Class<?>[] same = method.getParameterTypes();
        Class<?>[] more = Arrays.copyOf(same, same.length + 1);
        more[same.length] = LockRefusedException.class;
        Method found = find(type, annotation.fallback(), more);
        if (found == null) {
            found = find(type, annotation.fallback(), same);
        }
        if (found == null || !ClassUtils.isAssignable(method.getReturnType(), found.getReturnType())) {
            throw LockExpressions.wrong(
                    method,
                    "fallback = \"" + annotation.fallback() + "\": " + type.getName() + " has no such method with the"
                            + " parameters (" + StringUtils.arrayToCommaDelimitedString(names(same))
                            + ") that returns "
                            + method.getReturnType().getSimpleName(),
                    "Give it the parameters of " + method.getName()
                            + ", if you like with a LockRefusedException after them, and its return type.",
                    null);
        }
        found.setAccessible(true);
        return found;
    }

    private static Object[] names(Class<?>[] types) {
        return Arrays.stream(types).map(Class::getSimpleName).toArray();
    }

    private static @Nullable Method find(Class<?> type, String name, Class<?>[] parameters) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getName().equals(name)
                        && !method.isBridge()
                        && Arrays.equals(method.getParameterTypes(), parameters)) {
                    return Objects.requireNonNull(method);
                }
            }
        }
        return null;
    }
}
