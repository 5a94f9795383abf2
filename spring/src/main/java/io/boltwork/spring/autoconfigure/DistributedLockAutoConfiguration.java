// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.annotation.operation.LockOperationParser;
import io.boltwork.spring.acquire.ClientBeans;
import io.boltwork.spring.acquire.MicrometerObserver;
import io.boltwork.spring.acquire.SpringTransactions;
import io.boltwork.spring.call.ApplicationEnd;
import io.boltwork.spring.call.LockAdvisor;
import io.boltwork.spring.call.LockInterceptor;
import io.boltwork.spring.call.ReactiveTypes;
import io.boltwork.spring.check.EarlyBeans;
import io.boltwork.spring.check.LockBeanCheck;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.text.LockExpressions;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Auto-configuration of {@link DistributedLock}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = BoltworkAutoConfiguration.class)
@ConditionalOnBean(LockClient.class)
@ConditionalOnProperty(name = "boltwork.lock.enabled", matchIfMissing = true)
@Import(DistributedLockAutoConfiguration.Proxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class DistributedLockAutoConfiguration {

    DistributedLockAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockExpressions boltworkLockExpressions(ConfigurableListableBeanFactory beans) {
        return new LockExpressions(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource boltworkLockOperationSource(
            LockExpressions expressions, BoltworkProperties properties, ClientBeans clients) {
        return new LockOperationSource(new LockOperationParser(
                expressions::of,
                clients,
                ReactiveTypes.INSTANCE,
                SpringTransactions.INSTANCE,
                client -> properties.of(client).lock().settings(),
                properties.lock().overrides()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ClientBeans boltworkLockClients(ConfigurableListableBeanFactory beans, ObjectProvider<LockClient> primary) {
        return new ClientBeans(beans, primary::getObject);
    }

    /** Fails at the start if there are several beans of a type. */
    @Bean
    static LockHooks boltworkLockHooks(ObjectProvider<LockNaming> naming, ObjectProvider<LockRefusal> refusal) {
        return new LockHooks(naming.getIfAvailable(), refusal.getIfAvailable());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor boltworkLockInterceptor(
            LockOperationSource source,
            LockExpressions expressions,
            ClientBeans clients,
            ObjectProvider<LockHooks> hooks,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<LockGroups> groups,
            ApplicationEnd end) {
        Supplier<LockObservations> observed = () -> {
            ObservationRegistry registry = observations.getIfUnique();
            return new LockObservations(
                    registry == null ? LockObserver.NONE : new MicrometerObserver(registry), groups.getObject());
        };
        return new LockInterceptor(source, expressions, clients, hooks::getObject, observed, end);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ApplicationEnd boltworkApplicationEnd() {
        return new ApplicationEnd();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor boltworkLockAdvisor(
            LockInterceptor interceptor, LockOperationSource source, BoltworkProperties properties) {
        return new LockAdvisor(interceptor, source, properties.lock().order());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBeanCheck boltworkLockBeanCheck(
            ConfigurableListableBeanFactory beans, LockOperationSource source, Environment environment) {
        return new LockBeanCheck(
                beans,
                source,
                !environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true));
    }

    /**
     * Registers proxies if no other part of the application requests them; Spring Boot decides which kind to use. The
     * properties are created with the advice, before all post-processors. Spring would warn of that if the properties
     * were not infrastructure beans, too.
     */
    static final class Proxies implements ImportBeanDefinitionRegistrar {
        private static final String PROPERTIES = "boltwork-" + BoltworkProperties.class.getName();

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (registry instanceof ConfigurableBeanFactory beans) {
                beans.addBeanPostProcessor(new EarlyBeans());
            }
            if (registry.containsBeanDefinition(PROPERTIES)
                    && registry.getBeanDefinition(PROPERTIES) instanceof AbstractBeanDefinition properties) {
                properties.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            }
        }
    }
}
