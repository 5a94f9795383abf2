// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.operation.DeclaredLocks;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import io.micronaut.aop.InterceptorBinding;
import io.micronaut.context.BeanContext;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.inject.AdvisedBeanType;
import io.micronaut.inject.BeanDefinition;
import io.micronaut.inject.BeanDefinitionReference;
import jakarta.inject.Singleton;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reports mistakes in annotations and settings when the application starts, and creates the clients. */
@Singleton
final class StartCheck implements ApplicationEventListener<StartupEvent> {
    private final BoltworkConfig config;
    private final BeanClients clients;
    private final LockCalls calls;
    private final BeanContext context;
    private final Collection<Extra> extras;

    /** Tells a library of the application of the clients. */
    interface Extra {
        void started(Map<String, LockClient> clients);
    }

    StartCheck(
            BoltworkConfig config,
            BeanClients clients,
            LockCalls calls,
            BeanContext context,
            Collection<Extra> extras) {
        this.config = config;
        this.clients = clients;
        this.calls = calls;
        this.context = context;
        this.extras = extras;
    }

    @Override
    public void onApplicationEvent(StartupEvent event) {
        config.checkNames();
        try {
            checkBeans();
        } catch (LockDefinitionException wrong) {
            throw new ConfigurationException(wrong.getMessage() + ". " + wrong.action(), wrong);
        }
        if (config.isEnabled()) {
            Map<String, LockClient> all = clients.byName();
            extras.forEach(each -> each.started(all));
        }
    }

    private void checkBeans() {
        Set<Class<?>> types = new LinkedHashSet<>();
        Set<Method> advised = new HashSet<>();
        for (BeanDefinitionReference<?> each : context.getBeanDefinitionReferences()) {
            if (!each.getBeanDefinitionName().startsWith("io.micronaut.") && each.isEnabled(context)) {
                BeanDefinition<?> bean = each.load();
                types.add(bean instanceof AdvisedBeanType<?> own ? own.getInterceptedType() : bean.getBeanType());
                bean.getExecutableMethods().stream()
                        .filter(method -> method.getAnnotationValuesByType(InterceptorBinding.class).stream()
                                .anyMatch(binding -> binding.stringValue()
                                        .filter(DistributedLock.class.getName()::equals)
                                        .isPresent()))
                        .forEach(method -> advised.add(method.getTargetMethod()));
            }
        }
        calls.locked().check(types.stream());
        if (config.isForMethods()) {
            types.forEach(each -> checkAdvised(each, advised));
        }
    }

    /** Rejects an annotation that Micronaut's annotation processor does not know, so that it has no effect. */
    private static void checkAdvised(Class<?> bean, Set<Method> advised) {
        List<Method> locked = MethodHierarchy.all(bean).stream()
                .filter(each -> !DeclaredLocks.of(each, bean).isEmpty())
                .toList();
        boolean some = locked.stream().anyMatch(advised::contains);
        for (Method each : locked) {
            // an annotation on the class leaves out methods that Micronaut itself calls, such as those for injection
            if (!advised.contains(each) && (DeclaredLocks.isAnnotated(each) || !some)) {
                throw LockDefinitionException.wrong(
                        each,
                        "it has no effect, because Micronaut's annotation processor does not know it",
                        "Add boltwork-micronaut to the annotation processor path with which " + bean.getName()
                                + " is compiled.",
                        null);
            }
        }
    }
}
