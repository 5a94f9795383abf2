// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.operation.QualifiedClients;
import io.micronaut.context.BeanContext;
import io.micronaut.core.annotation.AnnotationUtil;
import io.micronaut.core.naming.Named;
import io.micronaut.inject.BeanDefinition;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.stream.Stream;

/** The clients of an application. Thread-safe. */
@Singleton
final class BeanClients extends QualifiedClients<BeanDefinition<LockClient>> {
    private final BeanContext context;

    BeanClients(BeanContext context) {
        this.context = context;
    }

    @Override
    protected Stream<BeanDefinition<LockClient>> beans() {
        return context.getBeanDefinitions(LockClient.class).stream();
    }

    @Override
    protected LockClient client(BeanDefinition<LockClient> bean) {
        return context.getBean(bean);
    }

    @Override
    protected LockClient primary() {
        return context.getBean(LockClient.class);
    }

    @Override
    protected String text(BeanDefinition<LockClient> bean) {
        return bean.getName();
    }

    @Override
    protected Set<String> qualifiers(BeanDefinition<LockClient> bean) {
        return bean.getDeclaredQualifier() instanceof Named named
                ? Set.of(named.getName())
                : bean.stringValue(AnnotationUtil.NAMED).map(Set::of).orElse(Set.of());
    }
}
