// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.annotation.operation.LockOverrides;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Finds the locks of methods, and parses each annotation once. Thread-safe. */
public final class LockOperationSource {
    private final LockOperationParser parser;
    private final Map<MethodClassKey, Optional<LockMethod>> methods = new ConcurrentHashMap<>();

    /** Classes in which a locked method was found. */
    private final Set<Class<?>> locked = ConcurrentHashMap.newKeySet();

    public LockOperationSource(LockOperationParser parser) {
        this.parser = parser;
    }

    public LockOverrides overrides() {
        return parser.overrides();
    }

    public static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class);
    }

    /** Returns the locked method; {@code null} if the method is executed without locks. */
    @Nullable
    public LockMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LockMethod> known = methods.get(key);
        if (known == null) {
            known = isIgnored(method) ? Optional.empty() : parseOnce(method, targetClass);
            methods.put(key, known);
        }
        return known.orElse(null);
    }

    /** Returns whether a method has no source code of its own, and is not the bridge to a method that has. */
    private static boolean isIgnored(Method method) {
        return method.getDeclaringClass() == Object.class || method.isSynthetic() && !method.isBridge();
    }

    private Optional<LockMethod> parseOnce(Method method, Class<?> targetClass) {
        Method specific = specific(method, targetClass);
        MethodClassKey key = new MethodClassKey(specific, targetClass);
        Optional<LockMethod> known = methods.get(key);
        if (known == null) {
            known = Optional.ofNullable(parse(specific, targetClass));
            methods.put(key, known);
        }
        return known;
    }

    /** Returns whether the class has locked methods. Those of each bean are known once the bean is created. */
    public boolean isLocked(Class<?> type) {
        return locked.contains(type);
    }

    /**
     * Returns the method, as written in source code, that a call of {@code method} on an object of that class executes.
     * For a generated class, this is a method of an interface: the parameters of a generated method have no names.
     */
    private static Method specific(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        return MethodHierarchy.isGenerated(type)
                ? MethodHierarchy.all(type).stream()
                        .filter(each -> MethodHierarchy.overrides(each, method, type))
                        .findFirst()
                        .orElse(method)
                : AopUtils.getMostSpecificMethod(method, type);
    }

    private @Nullable LockMethod parse(Method specific, Class<?> targetClass) {
        LockMethod method = parser.parse(specific, targetClass, LockAnnotations.of(specific, targetClass));
        if (method != null) {
            locked.add(ClassUtils.getUserClass(targetClass));
        }
        return method;
    }
}
