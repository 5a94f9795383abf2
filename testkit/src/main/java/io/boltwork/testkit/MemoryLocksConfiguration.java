// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.LockBackend;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keeps all locks of a Spring context on one server in memory. */
@Configuration(proxyBeanMethods = false)
final class MemoryLocksConfiguration {
    /** The client of the starter, which uses the bean of the backend. */
    private static final String STARTERS_CLIENT = "boltworkLockClient";

    @Bean
    @ConditionalOnMissingBean
    MemoryServer boltworkMemoryServer() {
        return MemoryServer.create();
    }

    /** Changes how beans are created. Their names, qualifiers and scopes stay. */
    @Bean
    static BeanFactoryPostProcessor boltworkMemoryBackends() {
        return beans -> {
            Supplier<LockBackend> backend = () -> MemoryBackend.on(beans.getBean(MemoryServer.class));
            for (String name : beans.getBeanNamesForType(LockBackend.class, true, false)) {
                create(beans, name, backend);
            }
            for (String name : beans.getBeanNamesForType(LockClient.class, true, false)) {
                if (!name.equals(STARTERS_CLIENT)) {
                    create(beans, name, () -> LockClient.create(backend.get()));
                }
            }
        };
    }

    private static void create(ConfigurableListableBeanFactory beans, String name, Supplier<?> supplier) {
        if (beans.containsBeanDefinition(name)
                && beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
            definition.setInstanceSupplier(supplier);
        }
    }
}
