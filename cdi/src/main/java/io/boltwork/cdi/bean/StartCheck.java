// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.operation.LockAnnotation;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.cdi.call.Annotations;
import io.boltwork.cdi.config.BoltworkConfig;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;

/** Reports mistakes in annotations and settings when the application starts, and creates the clients. */
@Singleton
public class StartCheck {
    private final LockBeans beans;
    private final LockCalls calls;
    private final BeanContainer container;
    private final Instance<Extra> extras;

    /** Tells a library of the application of the clients. */
    interface Extra {
        void started(Map<String, LockClient> clients);
    }

    @Inject
    StartCheck(LockBeans beans, LockCalls calls, BeanContainer container, Instance<Extra> extras) {
        this.beans = beans;
        this.calls = calls;
        this.container = container;
        this.extras = extras;
    }

    void check(@Observes @Priority(Interceptor.Priority.LIBRARY_BEFORE) Startup event) {
        BoltworkConfig config = BoltworkConfig.current();
        config.checkNames();
        try {
            checkAnnotations(config);
        } catch (LockDefinitionException wrong) {
            throw new DeploymentException(wrong.getMessage() + ". " + wrong.action(), wrong);
        }
        if (config.isEnabled()) {
            Map<String, LockClient> clients = beans.clients().byName();
            extras.forEach(each -> each.started(clients));
        }
    }

    private void checkAnnotations(BoltworkConfig config) {
        if (config.isForMethods()) {
            container.getBeans(Object.class, Any.Literal.INSTANCE).stream()
                    .map(each -> each.getBeanClass())
                    .distinct()
                    .forEach(this::check);
            for (RuntimeException mistake : calls.parser().overrides().mistakes()) {
                throw mistake;
            }
        }
    }

    private void check(Class<?> bean) {
        for (Method method : MethodHierarchy.all(bean)) {
            List<LockAnnotation> locks = Annotations.of(method, bean);
            if (locks.isEmpty()) {
                checkOverridden(method, bean);
                continue;
            }
            int modifiers = method.getModifiers();
            if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
                throw LockDefinitionException.wrong(
                                method,
                                "it is private, static or final, so that no interceptor is called",
                                "Make it an instance method that is neither private nor final.",
                                null)
                        .of(locks.get(0).text());
            }
            calls.find(method, bean);
        }
    }

    /** Rejects an annotation that has no effect, because this method overrides or implements the annotated one. */
    private static void checkOverridden(Method method, Class<?> bean) {
        for (Method each : MethodHierarchy.declarations(method, bean)) {
            if (Annotations.isAnnotated(each)) {
                throw LockDefinitionException.wrong(
                        each,
                        "it has no effect on " + method.getDeclaringClass().getName() + "." + method.getName()
                                + ", because CDI does not inherit annotations of methods",
                        "Annotate that method.",
                        null);
            }
        }
    }
}
