package io.boltwork.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;

/**
 * Knows which methods are executed under locks. Annotations on the method go before those on its class; composed ones count, and
 * those of interfaces and superclasses where there is nothing nearer. Thread-safe.
 */
final class LockOperationSource {
    private final LockOperationParser parser;
    private final Map<MethodClassKey, Optional<LockMethod>> methods = new ConcurrentHashMap<>();

    /** Classes in which a locked method was found. */
    private final Set<Class<?>> locked = ConcurrentHashMap.newKeySet();

    LockOperationSource(LockOperationParser parser) {
        this.parser = parser;
    }

    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class);
    }

    /** {@code null} if the method is executed without locks. */
    @Nullable
    LockMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LockMethod> known = methods.get(key);
        if (known == null) {
            known = Optional.ofNullable(parse(method, targetClass));
            methods.put(key, known);
        }
        return known.orElse(null);
    }

    /** Returns whether the class has locked methods. Those of each bean are known once it is created. */
    boolean isLocked(Class<?> type) {
        return locked.contains(type);
    }

    private @Nullable LockMethod parse(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class || method.isSynthetic()) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass));
        List<DistributedLock> found = annotations(specific, targetClass);
        List<LockOperation> operations = found.stream()
                .map(annotation -> parser.parse(specific, targetClass, annotation))
                .filter(Objects::nonNull)
                .toList();
        if (!operations.isEmpty()) {
            locked.add(ClassUtils.getUserClass(targetClass));
        }
        return operations.isEmpty() ? null : LockMethod.of(specific, targetClass, operations);
    }

    /** Without understanding them. */
    static List<DistributedLock> annotations(Method specific, Class<?> targetClass) {
        List<DistributedLock> own = nearest(specific);
        boolean byClass = own.isEmpty()
                && Modifier.isPublic(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())
                && specific.getDeclaringClass() != Object.class;
        return byClass ? nearest(ClassUtils.getUserClass(targetClass)) : own;
    }

    private static List<DistributedLock> nearest(AnnotatedElement element) {
        List<MergedAnnotation<DistributedLock>> all =
                MergedAnnotations.from(
                                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                        .stream(DistributedLock.class)
                        .toList();
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .map(MergedAnnotation::synthesize)
                .toList();
    }
}
