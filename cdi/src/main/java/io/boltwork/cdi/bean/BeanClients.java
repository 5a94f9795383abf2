// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.operation.QualifiedClients;
import io.boltwork.cdi.ClientName;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Instance.Handle;
import jakarta.inject.Named;
import java.lang.annotation.Annotation;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The clients of an application. Thread-safe. */
final class BeanClients extends QualifiedClients<Handle<LockClient>> {
    private final Instance<LockClient> beans;

    BeanClients(Instance<LockClient> beans) {
        this.beans = beans;
    }

    @Override
    protected Stream<Handle<LockClient>> beans() {
        Stream.Builder<Handle<LockClient>> all = Stream.builder();
        beans.handles().forEach(all);
        return all.build();
    }

    @Override
    protected LockClient client(Handle<LockClient> bean) {
        return bean.get();
    }

    @Override
    protected LockClient primary() {
        return beans.select(Default.Literal.INSTANCE).get();
    }

    @Override
    protected String text(Handle<LockClient> bean) {
        return bean.getBean().toString();
    }

    @Override
    protected Set<String> qualifiers(Handle<LockClient> bean) {
        Set<String> names = new LinkedHashSet<>();
        for (Annotation each : bean.getBean().getQualifiers()) {
            String name = name(each);
            if (name != null) {
                names.add(name);
            }
        }
        String own = bean.getBean().getName();
        if (own != null) {
            names.add(own);
        }
        return names;
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
