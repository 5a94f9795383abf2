// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.Leadership;
import io.boltwork.LockClient;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.metrics.LockMetrics;
import io.boltwork.spring.acquire.ClientBeans;
import io.boltwork.spring.acquire.MicrometerObserver;
import io.boltwork.spring.actuate.ForceLog;
import io.boltwork.spring.actuate.LocksEndpoint;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.spring.actuate.LocksWebEndpoint;
import io.boltwork.spring.properties.BoltworkProperties;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration of the health contributor, the actuator endpoint and the meters for locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = BoltworkAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnBean(LockClient.class)
public final class BoltworkActuatorAutoConfiguration {

    BoltworkActuatorAutoConfiguration() {}

    /** Configures {@code /actuator/health}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {
        private static final String NAME = "locks";

        /*
         * Spring Boot would name the contributor after the bean. The bean is no candidate for injection, so that it is
         * registered only once.
         */
        @Bean(autowireCandidate = false)
        @Lazy(false)
        @ConditionalOnBean(HealthContributorRegistry.class)
        @ConditionalOnEnabledHealthIndicator(NAME)
        LocksHealthIndicator boltworkLocksHealthIndicator(
                LockClient client,
                ObjectProvider<Leadership> leaderships,
                HealthContributorRegistry registry,
                ConfigurableListableBeanFactory beans) {
            LocksHealthIndicator health = new LocksHealthIndicator(client, leaderships::orderedStream);
            Map<String, LockClient> clients = new ClientBeans(beans, () -> client).byName();
            if (registry.getContributor(NAME) == null) {
                registry.registerContributor(
                        NAME,
                        clients.size() == 1
                                ? health
                                : CompositeHealthContributor.fromMap(
                                        clients,
                                        each -> each == client
                                                ? health
                                                : new LocksHealthIndicator(each, Stream::empty)));
            }
            return health;
        }
    }

    /** Configures {@code /actuator/locks}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
        LocksEndpoint boltworkLocksEndpoint(
                LockClient client, ApplicationEventPublisher events, ConfigurableListableBeanFactory beans) {
            return new LocksEndpoint(new ClientBeans(beans, () -> client), new ForceLog(events));
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(LocksEndpoint.class)
        @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
        LocksWebEndpoint boltworkLocksWebEndpoint(LocksEndpoint endpoint) {
            return new LocksWebEndpoint(endpoint);
        }
    }

    /** Configures the meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    public static class MetricsConfiguration {

        @Bean
        @ConditionalOnMissingBean
        Meters boltworkLockMeters(
                MeterRegistry registry,
                LockClient primary,
                LockGroups groups,
                BoltworkProperties properties,
                ConfigurableListableBeanFactory beans) {
            Map<String, LockClient> clients = new ClientBeans(beans, () -> primary).byName();
            List<LockMetrics> listeners = new ArrayList<>();
            clients.forEach((name, client) -> {
                Tags tags = clients.size() == 1 ? Tags.empty() : Tags.of("client", name);
                LockMetrics metrics =
                        new LockMetrics(registry, groups, properties.metrics().buckets(), client, tags);
                client.addListener(metrics, Runnable::run);
                listeners.add(metrics);
            });
            return new Meters(listeners);
        }

        /**
         * Denies meters for observations, which are for traces: {@code boltwork.lock.wait} already measures the same
         * time.
         */
        @Bean
        @ConditionalOnMissingBean(name = "boltworkLockMeterFilter")
        static MeterFilter boltworkLockMeterFilter() {
            Set<String> twice = Set.of(MicrometerObserver.NAME, MicrometerObserver.NAME + ".active");
            return MeterFilter.deny(meter -> twice.contains(meter.getName()));
        }

        /**
         * Wraps the listeners. They must not be {@code LockListener} beans, because those are created before the
         * client.
         */
        public record Meters(List<LockMetrics> listeners) {}
    }
}
