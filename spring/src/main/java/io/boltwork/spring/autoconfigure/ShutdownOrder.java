// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.spring.ClientOptionsCustomizer;
import io.boltwork.spring.RedisOptionsCustomizer;
import io.boltwork.spring.operation.LockOperationSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.util.ClassUtils;

/*
 * Spring destroys beans in the reverse order of their creation, and the dependents of a bean before the bean itself. A
 * bean with locked methods does not have the client injected, and is usually created before it. It would therefore be
 * destroyed after the client, and so would the executors that run its methods. The processor of scheduled methods ends
 * the subscriptions of reactive ones, and is created very early. Beans that the client itself needs, such as a
 * listener's executor, are left alone. ShutdownWait waits for the tasks of executors that do not wait for them.
 */
/** Ensures that the client closes only after all beans that acquire locks, and the executors, have been destroyed. */
final class ShutdownOrder implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton {
    /** Types of which the client and its backend request all beans. */
    private static final List<Class<?>> ASKED_FOR =
            List.of(LockListener.class, ClientOptionsCustomizer.class, RedisOptionsCustomizer.class);

    private final ConfigurableListableBeanFactory beans;
    private volatile boolean started;

    ShutdownOrder(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Orders lazy beans, which are created later. */
    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String name) {
        if (started && definition.isSingleton()) {
            for (String client : clients()) {
                order(client, needs(client), name, type);
            }
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        for (String client : clients()) {
            Set<String> needs = needs(client);
            for (String name : beans.getSingletonNames()) {
                Object bean = beans.getSingleton(name);
                if (bean != null) {
                    order(client, needs, name, AopProxyUtils.ultimateTargetClass(bean));
                    order(client, needs, name, AopUtils.getTargetClass(bean)); // a proxy with an annotated interface
                }
            }
        }
    }

    private String[] clients() {
        return beans.getBeanNamesForType(LockClient.class, false, false);
    }

    private void order(String client, Set<String> needs, String name, Class<?> type) {
        LockOperationSource source =
                beans.getBeanProvider(LockOperationSource.class).getIfAvailable();
        boolean first = isExecutor(name, type)
                || ScheduledAnnotationBeanPostProcessor.class.isAssignableFrom(type)
                || source != null && source.isLocked(ClassUtils.getUserClass(type));
        if (first && !needs.contains(name)) {
            beans.registerDependentBean(client, name);
        }
    }

    private boolean isExecutor(String name, Class<?> type) {
        Class<?> own = FactoryBean.class.isAssignableFrom(type) ? beans.getType(name, false) : type;
        return own != null && Executor.class.isAssignableFrom(own);
    }

    /** Returns the client and all its direct and indirect dependencies. */
    private Set<String> needs(String client) {
        Set<String> needs = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(client));
        // Spring does not record that a bean has requested all beans of a type
        for (Class<?> asked : ASKED_FOR) {
            open.addAll(Arrays.asList(beans.getBeanNamesForType(asked, true, false)));
        }
        while (!open.isEmpty()) {
            String next = open.pop();
            if (needs.add(next)) {
                open.addAll(Arrays.asList(beans.getDependenciesForBean(next)));
            }
        }
        return needs;
    }
}
