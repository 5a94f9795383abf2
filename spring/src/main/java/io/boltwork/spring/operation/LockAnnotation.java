// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.DistributedLocks;
import io.boltwork.spring.OnRefused;
import io.boltwork.spring.OnUnavailable;
import io.boltwork.spring.text.MethodHierarchy;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/*
 * Composed annotations apply, too. Annotations of interfaces and superclasses apply if there is none closer. An
 * attribute that the annotation on a method omits is taken from the one on its class. Some attributes belong together:
 * a method that specifies the length of its lease takes no lease attributes from its class, and a method that has a
 * name takes no keys. A method whose class limits the number of callers may have a lock of another type.
 */
/**
 * A {@link DistributedLock} that applies to a method. Immutable.
 *
 * @param lock the annotation with all attributes, including those of the class's annotation
 * @param text the annotation as written
 * @param declaredOn the annotated class; {@code null} if the method is annotated
 */
public record LockAnnotation(
        DistributedLock lock, String text, @Nullable Class<?> declaredOn) {
    private static final List<Set<String>> TOGETHER = List.of(
            Set.of("name", "value", "keys"),
            Set.of("leaseTime", "lease", "renewedLease"),
            Set.of("waitTime", "waitFor"),
            Set.of("type", "permits"));

    /** True if a class, one of its methods or a supertype has the annotation. Most classes do not. */
    private static final ClassValue<Boolean> ANNOTATED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            Class<?> parent = type.getSuperclass();
            return LockOperationSource.isCandidate(type)
                    && (isAnnotated(type)
                            || parent != null && get(parent)
                            || Arrays.stream(type.getInterfaces()).anyMatch(this::get));
        }
    };

    private static boolean isAnnotated(Class<?> type) {
        return Stream.concat(Stream.of(type), MethodHierarchy.declared(type).stream())
                .anyMatch(each -> !all(each, SearchStrategy.DIRECT).isEmpty());
    }

    /** Returns the annotations that apply to a method of that class, without interpreting them. */
    public static List<LockAnnotation> of(Method specific, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        if (!ANNOTATED.get(type)) {
            return List.of();
        }
        List<MergedAnnotation<DistributedLock>> own = ofMethod(specific, type);
        List<MergedAnnotation<DistributedLock>> ofClass = ofClass(specific, type);
        if (!own.isEmpty()) {
            return own.stream()
                    .map(each -> ofClass.size() == 1 ? merged(each, ofClass.get(0)) : alone(each, null))
                    .toList();
        }
        return ofClass.isEmpty() || isLeftOut(specific, type, ofClass)
                ? List.of()
                : ofClass.stream().map(each -> alone(each, declaredOn(each))).toList();
    }

    private static List<MergedAnnotation<DistributedLock>> ofMethod(Method specific, Class<?> type) {
        List<MergedAnnotation<DistributedLock>> own = nearest(all(specific, SearchStrategy.TYPE_HIERARCHY));
        return !own.isEmpty() || specific.getDeclaringClass() == type
                ? own
                : MethodHierarchy.declarations(specific, type).stream()
                        .map(each -> nearest(all(each, SearchStrategy.TYPE_HIERARCHY)))
                        .filter(each -> !each.isEmpty())
                        .findFirst()
                        .orElse(own);
    }

    /** Returns the annotations of the class, or of an interface that has the method. */
    private static List<MergedAnnotation<DistributedLock>> ofClass(Method specific, Class<?> type) {
        List<MergedAnnotation<DistributedLock>> all = all(type, SearchStrategy.TYPE_HIERARCHY);
        if (all.isEmpty()) {
            return all;
        }
        List<Method> declarations = MethodHierarchy.declarations(specific, type);
        return nearest(all.stream()
                .filter(each -> !declaredOn(each).isInterface()
                        || declarations.stream()
                                .anyMatch(one -> one.getDeclaringClass().isAssignableFrom(declaredOn(each))))
                .toList());
    }

    private static Class<?> declaredOn(MergedAnnotation<DistributedLock> annotation) {
        return (Class<?>) Objects.requireNonNull(annotation.getSource());
    }

    /** Returns the name and the keys as written, separated by colons. */
    String withKeys() {
        return String.join(
                ":",
                Stream.concat(Stream.of(lock.name()), Arrays.stream(lock.keys()))
                        .toList());
    }

    /** Returns whether an annotation on the class does not apply to this method. */
    private static boolean isLeftOut(Method method, Class<?> type, List<MergedAnnotation<DistributedLock>> ofClass) {
        int modifiers = method.getModifiers();
        return !Modifier.isPublic(modifiers)
                || Modifier.isStatic(modifiers)
                || method.getDeclaringClass() == Object.class
                || ReflectionUtils.isObjectMethod(method)
                || MethodHierarchy.declarations(method, type).stream().anyMatch(LockAnnotation::isOfContainer)
                || isFallback(method, type, ofClass);
    }

    /** Returns whether only the container calls the method, on the object itself. */
    private static boolean isOfContainer(Method method) {
        Class<?> type = method.getDeclaringClass();
        return type == InitializingBean.class || type == DisposableBean.class || Aware.class.isAssignableFrom(type);
    }

    /** Returns whether the method is a fallback, which is called because the lock was not acquired. */
    private static boolean isFallback(Method method, Class<?> type, List<MergedAnnotation<DistributedLock>> ofClass) {
        List<String> named = fallbacks(ofClass);
        for (Method each : MethodHierarchy.all(type)) {
            if (!each.equals(method)
                    && (named.contains(method.getName())
                            || fallbacks(ofMethod(each, type)).contains(method.getName()))
                    && LockFallbacks.fits(method, each, type)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> fallbacks(List<MergedAnnotation<DistributedLock>> annotations) {
        return annotations.stream()
                .flatMap(each -> Arrays.stream(each.getStringArray("fallback")))
                .toList();
    }

    private static List<MergedAnnotation<DistributedLock>> all(AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy, RepeatableContainers.standardRepeatables()).stream(
                        DistributedLock.class)
                .toList();
    }

    private static List<MergedAnnotation<DistributedLock>> nearest(List<MergedAnnotation<DistributedLock>> all) {
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .toList();
    }

    private static LockAnnotation alone(MergedAnnotation<DistributedLock> annotation, @Nullable Class<?> declaredOn) {
        String of = declaredOn == null ? "" : " of " + declaredOn.getName();
        return new LockAnnotation(annotation.synthesize(), text(annotation) + of, declaredOn);
    }

    private static LockAnnotation merged(
            MergedAnnotation<DistributedLock> own, MergedAnnotation<DistributedLock> ofClass) {
        Map<String, Object> attributes = new LinkedHashMap<>(own.asMap());
        List<String> taken = new ArrayList<>();
        for (String name : List.copyOf(attributes.keySet())) {
            if (own.hasDefaultValue(name) && !ofClass.hasDefaultValue(name) && !isSaid(name, own)) {
                attributes.put(name, ofClass.asMap().get(name));
                taken.add(name);
            }
        }
        if (taken.contains("fallback")
                && attributes.get("onRefused") != OnRefused.FALLBACK
                && attributes.get("onUnavailable") != OnUnavailable.FALLBACK) {
            attributes.put("fallback", new String[0]);
        }
        DistributedLock lock =
                MergedAnnotation.of(DistributedLock.class, attributes).synthesize();
        return new LockAnnotation(
                lock, taken.isEmpty() ? text(own) : text(own) + " with " + text(ofClass) + " of the class", null);
    }

    /**
     * Returns whether the method's annotation already specifies, by a related attribute, what this attribute of the
     * class would specify.
     */
    private static boolean isSaid(String name, MergedAnnotation<DistributedLock> own) {
        if (name.equals("name") || name.equals("value")) {
            return false; // even if the method has its own keys
        }
        return TOGETHER.stream()
                .filter(together -> together.contains(name))
                .flatMap(Set::stream)
                .anyMatch(other -> !own.hasDefaultValue(other));
    }

    private static String text(MergedAnnotation<DistributedLock> annotation) {
        String attributes = annotation.asMap().entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparing((String key) -> !key.equals("name"))
                        .thenComparing(Comparator.naturalOrder())))
                .filter(each -> !each.getKey().equals("value") && !annotation.hasDefaultValue(each.getKey()))
                .map(each -> each.getKey() + " = " + text(each.getValue()))
                .collect(Collectors.joining(", "));
        String own = "@DistributedLock" + (attributes.isEmpty() ? "" : "(" + attributes + ")");
        Class<?> composed = annotation.getRoot().getType();
        return composed == DistributedLock.class || composed == DistributedLocks.class
                ? own
                : "@" + composed.getSimpleName() + ", which is " + own + ",";
    }

    private static String text(Object value) {
        if (value instanceof String[] all) {
            return all.length == 1
                    ? text(all[0])
                    : Arrays.stream(all).map(LockAnnotation::text).collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }
}
