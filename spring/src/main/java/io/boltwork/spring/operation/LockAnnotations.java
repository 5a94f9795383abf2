// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.DistributedLocks;
import io.boltwork.annotation.operation.LockAnnotation;
import io.boltwork.annotation.operation.LockFallbacks;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * Composed annotations apply, too. Annotations of interfaces and superclasses apply if there is none closer.
 */
/** Finds the annotations that apply to a method. */
public final class LockAnnotations {

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

    private LockAnnotations() {}

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
                    .map(each -> annotation(each, null))
                    .map(each -> ofClass.size() == 1 ? each.with(annotation(ofClass.get(0), null)) : each)
                    .toList();
        }
        return ofClass.isEmpty() || isLeftOut(specific, type, ofClass)
                ? List.of()
                : ofClass.stream()
                        .map(each -> annotation(each, declaredOn(each)).alone())
                        .toList();
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

    /** Returns whether an annotation on the class does not apply to this method. */
    private static boolean isLeftOut(Method method, Class<?> type, List<MergedAnnotation<DistributedLock>> ofClass) {
        int modifiers = method.getModifiers();
        return !Modifier.isPublic(modifiers)
                || Modifier.isStatic(modifiers)
                || method.getDeclaringClass() == Object.class
                || ReflectionUtils.isObjectMethod(method)
                || MethodHierarchy.declarations(method, type).stream().anyMatch(LockAnnotations::isOfContainer)
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

    private static LockAnnotation annotation(
            MergedAnnotation<DistributedLock> annotation, @Nullable Class<?> declaredOn) {
        Class<?> written = annotation.getRoot().getType();
        return LockAnnotation.of(
                lock(annotation), written == DistributedLocks.class ? DistributedLock.class : written, declaredOn);
    }

    /** Returns the annotation. If a composed one overrides one of name and value, the other one does not count. */
    private static DistributedLock lock(MergedAnnotation<DistributedLock> annotation) {
        DistributedLock lock = annotation.synthesize();
        MergedAnnotation<?> composed = annotation.getMetaSource();
        DistributedLock inside = composed == null ? null : composed.getType().getAnnotation(DistributedLock.class);
        boolean named = inside != null && !lock.name().equals(inside.name());
        boolean valued = inside != null && !lock.value().equals(inside.value());
        if (named == valued) {
            return lock;
        }
        Map<String, Object> attributes = new HashMap<>(annotation.asMap());
        attributes.put(named ? "value" : "name", "");
        return MergedAnnotation.of(DistributedLock.class, attributes).synthesize();
    }
}
