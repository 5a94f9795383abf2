// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.operation.LockFallbacks;
import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.spring.text.AccessedMembers;
import io.boltwork.spring.text.ExpressionTypes;
import io.boltwork.spring.text.LockExpressions;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/*
 * Proxies call locked methods by reflection, expressions call others, and a refusal calls its fallback in this way.
 * The types are those that the beans' methods declare. If an expression uses an Object, the application must provide
 * hints for its actual type.
 */
/** Collects the hints that native images need for the annotations of all beans. */
final class LockHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        AccessedMembers found = AccessedMembers.none();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && LockOperationSource.isCandidate(ClassUtils.getUserClass(type))) {
                look(ClassUtils.getUserClass(type), beans, found);
            }
        }
        return found.isEmpty()
                ? null
                : (generation, code) -> found.addTo(generation.getRuntimeHints().reflection());
    }

    private static void look(Class<?> type, ConfigurableListableBeanFactory beans, AccessedMembers found) {
        MethodHierarchy.all(type)
                .forEach(method -> LockAnnotations.of(method, type)
                        .forEach(annotation -> look(type, method, annotation.lock(), beans, found)));
    }

    private static void look(
            Class<?> type,
            Method method,
            DistributedLock lock,
            ConfigurableListableBeanFactory beans,
            AccessedMembers found) {
        found.methods().add(method);
        found.methods().addAll(LockFallbacks.of(method, type, lock).methods());
        ExpressionTypes types = new ExpressionTypes(
                method, type, beans, found, LockExpressions.names(type), true, (part, mistake) -> {});
        types.ofText(lock.name());
        types.ofText(lock.message());
        types.ofExpression(lock.condition());
        for (String key : lock.keys()) {
            types.ofExpression(key);
        }
    }
}
