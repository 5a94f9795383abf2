package io.boltwork.spring;

import io.boltwork.spring.BoltworkProperties.LockOverride;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Makes an operation of an annotation, and says what is wrong with it. */
final class LockOperationParser {
    private final LockExpressions expressions;
    private final BoltworkProperties.Lock properties;
    private final LockDefaults defaults;
    private final LockOptionsParser options;

    LockOperationParser(LockExpressions expressions, BoltworkProperties.Lock properties, LockDefaults defaults) {
        this.expressions = expressions;
        this.properties = properties;
        this.defaults = defaults;
        this.options = new LockOptionsParser(expressions, defaults);
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
        LockMode mode = annotation.mode() == LockMode.DEFAULT ? defaults.mode() : annotation.mode();
        OnRefused onRefused =
                annotation.onRefused() == OnRefused.DEFAULT ? defaults.onRefused() : annotation.onRefused();
        OnLost onLost = annotation.onLost() == OnLost.DEFAULT ? defaults.onLost() : annotation.onLost();
        if (override != null) {
            mode = override.mode() == null || override.mode() == LockMode.DEFAULT ? mode : override.mode();
            onRefused = override.onRefused() == null || override.onRefused() == OnRefused.DEFAULT
                    ? onRefused
                    : override.onRefused();
            onLost = override.onLost() == null || override.onLost() == OnLost.DEFAULT ? onLost : override.onLost();
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
                options.options(method, annotation, override, onLost),
                mode,
                options.waiting(method, annotation, override, mode),
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

    private String group(Class<?> targetClass, Method method, DistributedLock annotation, LockText name) {
        if (!annotation.group().isEmpty()) {
            return annotation.group();
        }
        if (defaults.group() != null) {
            return defaults.group();
        }
        String start = annotation.name().isEmpty() ? "" : LockGroups.of(LockExpressions.literalStart(name));
        return start.isEmpty() ? ClassUtils.getUserClass(targetClass).getSimpleName() + "." + method.getName() : start;
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
