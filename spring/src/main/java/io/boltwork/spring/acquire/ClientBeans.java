// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import io.boltwork.LockClient;
import io.boltwork.annotation.operation.LockClients;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.util.function.SingletonSupplier;

/** The clients of an application. Each has the name of its bean, and its qualifiers. Thread-safe. */
public final class ClientBeans implements LockClients {
    private final ConfigurableListableBeanFactory beans;
    private final SingletonSupplier<LockClient> primary;
    private final Map<String, LockClient> used = new ConcurrentHashMap<>();

    /** Creates the names. The primary client is the one that an injection by type gets. */
    public ClientBeans(ConfigurableListableBeanFactory beans, Supplier<LockClient> primary) {
        this.beans = beans;
        this.primary = SingletonSupplier.of(primary);
    }

    @Override
    public LockClient get(String name) {
        if (name.isEmpty()) {
            return primary.obtain();
        }
        LockClient client = used.get(name);
        if (client == null) {
            client = BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, LockClient.class, name);
            used.put(name, client);
        }
        return client;
    }

    @Override
    public List<String> find(String name) {
        return all().stream()
                .filter(bean -> BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, beans))
                .toList();
    }

    @Override
    public String named(String name) {
        List<String> found = name.isEmpty() ? List.of() : find(name);
        return found.size() == 1 ? nameOf(found.get(0)) : name;
    }

    /** Returns one name of each client: the one in the properties, or else that of its bean. */
    @Override
    public Set<String> names() {
        return all().stream().map(this::nameOf).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns all clients by these names, in the order of their definitions. Creates lazy ones. */
    public Map<String, LockClient> byName() {
        Map<String, LockClient> clients = new LinkedHashMap<>();
        all().forEach(bean -> clients.put(nameOf(bean), beans.getBean(bean, LockClient.class)));
        return clients;
    }

    private List<String> all() {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockClient.class, true, false))
                .filter(bean -> {
                    BeanDefinition definition = definition(bean);
                    return definition == null || definition.isAutowireCandidate();
                })
                .toList();
    }

    private String nameOf(String bean) {
        AutowireCandidateQualifier qualifier = definition(bean) instanceof AbstractBeanDefinition described
                ? described.getQualifier(Qualifier.class.getName())
                : null;
        return qualifier == null ? bean : String.valueOf(qualifier.getAttribute("value"));
    }

    private @Nullable BeanDefinition definition(String bean) {
        try {
            return beans.getMergedBeanDefinition(bean);
        } catch (NoSuchBeanDefinitionException registeredAsObject) {
            return null;
        }
    }
}
