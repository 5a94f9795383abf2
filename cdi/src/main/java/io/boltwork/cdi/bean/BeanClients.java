// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.operation.LockClients;
import io.boltwork.cdi.ClientName;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Instance.Handle;
import jakarta.inject.Named;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The clients of an application. Each has the names of its qualifiers. Thread-safe. */
final class BeanClients implements LockClients {
    /** The name of a client that has no other one. */
    private static final String UNNAMED = "default";

    private final Instance<LockClient> beans;
    private final Map<String, LockClient> used = new ConcurrentHashMap<>();

    BeanClients(Instance<LockClient> beans) {
        this.beans = beans;
    }

    @Override
    public LockClient get(String name) {
        return used.computeIfAbsent(
                name,
                key -> key.isEmpty()
                        ? beans.select(Default.Literal.INSTANCE).get()
                        : handles(key).get(0).get());
    }

    @Override
    public List<String> find(String name) {
        return handles(name).stream().map(each -> each.getBean().toString()).toList();
    }

    private List<Handle<LockClient>> handles(String name) {
        List<Handle<LockClient>> found = new ArrayList<>();
        for (Handle<LockClient> each : beans.handles()) {
            if (names(each).contains(name)) {
                found.add(each);
            }
        }
        return found;
    }

    @Override
    public String named(String name) {
        List<Handle<LockClient>> found = name.isEmpty() ? List.of() : handles(name);
        return found.size() == 1 ? names(found.get(0)).iterator().next() : name;
    }

    @Override
    public Set<String> names() {
        Set<String> names = new TreeSet<>();
        beans.handles().forEach(each -> names.add(names(each).iterator().next()));
        return names;
    }

    /** Returns all clients by these names. Creates those that are not created yet. */
    Map<String, LockClient> byName() {
        Map<String, LockClient> clients = new TreeMap<>();
        beans.handles().forEach(each -> clients.put(names(each).iterator().next(), each.get()));
        return clients;
    }

    /** Returns the names of a bean, of which it has one at least. */
    private static Set<String> names(Handle<LockClient> client) {
        Set<String> names = new LinkedHashSet<>();
        for (Annotation each : client.getBean().getQualifiers()) {
            String name = name(each);
            if (name != null) {
                names.add(name);
            }
        }
        String own = client.getBean().getName();
        if (own != null) {
            names.add(own);
        }
        return names.isEmpty() ? Set.of(UNNAMED) : names;
    }

    private static @Nullable String name(Annotation qualifier) {
        if (qualifier instanceof ClientName own) {
            return own.value();
        }
        if (qualifier instanceof Named named) {
            return named.value();
        }
        if (qualifier.annotationType().getName().equals("io.smallrye.common.annotation.Identifier")) {
            try {
                return (String) qualifier.annotationType().getMethod("value").invoke(qualifier);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return null;
    }
}
