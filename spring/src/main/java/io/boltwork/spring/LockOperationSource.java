// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
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
import org.springframework.util.ClassUtils;

/** Finds the locks of methods, and parses each annotation once. Thread-safe. */
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

    /** Returns the locked method; {@code null} if the method is executed without locks. */
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

    /** Returns whether the class has locked methods. Those of each bean are known once the bean is created. */
    boolean isLocked(Class<?> type) {
        return locked.contains(type);
    }

    private @Nullable LockMethod parse(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class || method.isSynthetic()) {
            return null;
        }
        Method specific = specific(method, targetClass);
        List<LockAnnotation> annotations = LockAnnotation.of(specific, targetClass);
        List<@Nullable LockOperation> operations = new ArrayList<>();
        annotations.forEach(each -> operations.add(parser.parse(specific, targetClass, each)));
        if (operations.stream().allMatch(Objects::isNull)) {
            return null;
        }
        locked.add(ClassUtils.getUserClass(targetClass));
        try {
            return LockMethod.of(specific, targetClass, annotations, operations);
        } catch (LockDefinitionException wrong) {
            throw wrong.of(annotations.get(0).text());
        }
    }

    /** Returns the method as written in source code: the parameters of a generated method have no names. */
    private static Method specific(Method method, Class<?> targetClass) {
        return isGenerated(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass));
    }

    /** Returns whether a class was generated in this JVM to implement interfaces: a JDK proxy or a lambda. */
    static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }
}
