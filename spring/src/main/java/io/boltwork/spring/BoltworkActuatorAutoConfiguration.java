package io.boltwork.spring;

import io.boltwork.LockClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Set;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the health contributor, the endpoint and the meters of locks. */
@AutoConfiguration(
        after = BoltworkAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnBean(LockClient.class)
public final class BoltworkActuatorAutoConfiguration {

    BoltworkActuatorAutoConfiguration() {}

    /** {@code /actuator/health}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        @Bean
        @ConditionalOnEnabledHealthIndicator("locks")
        @ConditionalOnMissingBean(name = "locksHealthIndicator")
        LocksHealthIndicator locksHealthIndicator(LockClient client) {
            return new LocksHealthIndicator(client);
        }
    }

    /** {@code /actuator/locks}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
        LocksEndpoint locksEndpoint(LockClient client, ApplicationEventPublisher events) {
            return new LocksEndpoint(client, new ForceLog(events));
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(LocksEndpoint.class)
        @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
        LocksWebEndpoint locksWebEndpoint(LocksEndpoint endpoint) {
            return new LocksWebEndpoint(endpoint);
        }
    }

    /** Meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class MetricsConfiguration {

        @Bean
        @ConditionalOnMissingBean
        Meters boltworkLockMeters(MeterRegistry registry, LockClient client, LockGroups groups) {
            LockMetrics metrics = new LockMetrics(registry, groups, client);
            client.addListener(metrics, Runnable::run);
            return new Meters(metrics);
        }

        /** Observations are for traces: {@code boltwork.lock.wait} has the same time already. */
        @Bean
        @ConditionalOnMissingBean(name = "boltworkLockMeterFilter")
        static MeterFilter boltworkLockMeterFilter() {
            Set<String> twice = Set.of(LockObservations.NAME, LockObservations.NAME + ".active");
            return MeterFilter.deny(meter -> twice.contains(meter.getName()));
        }

        /** No listener itself: those are made before the client. */
        record Meters(LockMetrics listener) {}
    }
}
