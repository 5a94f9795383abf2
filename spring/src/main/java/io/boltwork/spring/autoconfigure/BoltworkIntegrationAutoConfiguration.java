// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.properties.BoltworkProperties;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Auto-configuration of Spring Integration's {@link LockRegistry}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = BoltworkAutoConfiguration.class)
@ConditionalOnClass({LockRegistry.class, DistributedLock.class})
@ConditionalOnBean(LockClient.class)
@Import(BoltworkIntegrationAutoConfiguration.Registries.class)
public final class BoltworkIntegrationAutoConfiguration {

    BoltworkIntegrationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    BoltworkLockRegistry boltworkLockRegistry(LockClient client, BoltworkProperties properties) {
        return registry(client, properties);
    }

    private static BoltworkLockRegistry registry(LockClient client, BoltworkProperties properties) {
        return new BoltworkLockRegistry(
                client, properties.lock().prefix(), properties.lock().defaults().options());
    }

    /** Registers a registry for each client of {@code boltwork.clients.*}. */
    static final class Registries implements ImportBeanDefinitionRegistrar {
        private final Environment environment;

        Registries(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            NamedClients.register(registry, environment, Registries.class, "registry", "LockRegistry");
        }

        static BoltworkLockRegistry registry(String name, BeanFactory beans, BoltworkProperties properties) {
            return BoltworkIntegrationAutoConfiguration.registry(NamedClients.client(beans, name), properties.of(name));
        }
    }
}
