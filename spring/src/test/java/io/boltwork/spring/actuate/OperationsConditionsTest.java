// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.acquire.ClientBeans;
import io.boltwork.spring.autoconfigure.BoltworkActuatorAutoConfiguration.MetricsConfiguration.Meters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.LockRegistry;

/** Tests when health, endpoint, meters, observations and Spring Integration's registry exist. */
class OperationsConditionsTest {
    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

    @Test
    void healthUnlessDisabledReplacedOrAbsent() {
        memory().run(context -> assertThat(context).hasSingleBean(LocksHealthIndicator.class));
        memory().withPropertyValues("management.health.locks.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LocksHealthIndicator.class));
        memory().withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LocksHealthIndicator.class));
        memory().run(context -> assertThat(context.getBean(HealthContributorRegistry.class))
                .singleElement()
                .isEqualTo(new HealthContributors.Entry("locks", context.getBean(LocksHealthIndicator.class))));
        memory().withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getBean(HealthContributorRegistry.class))
                        .as("with lazy initialization")
                        .hasSize(1));
        HealthIndicator own = () -> Health.up().build();
        memory().withBean("locksHealthIndicator", HealthIndicator.class, () -> own)
                .run(context -> assertThat(context.getBean(HealthContributorRegistry.class))
                        .singleElement()
                        .isEqualTo(new HealthContributors.Entry("locks", own)));
        memory().withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksHealthIndicator.class));
    }

    @Test
    void endpointIfItIsExposed() {
        memory().run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
        memory().withPropertyValues(EXPOSED).run(context -> assertThat(context).hasSingleBean(LocksEndpoint.class));
        memory().withPropertyValues(EXPOSED, "management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
        LockClient other = LockClient.create(MemoryBackend.create());
        try (other) {
            memory().withPropertyValues(EXPOSED)
                    .withBean(
                            "own",
                            LocksEndpoint.class,
                            () -> new LocksEndpoint(
                                    new ClientBeans(new DefaultListableBeanFactory(), () -> other),
                                    new ForceLog(event -> {})))
                    .run(context -> assertThat(context)
                            .hasSingleBean(LocksEndpoint.class)
                            .hasBean("own"));
        }
        memory().withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("boltworkLocksEndpoint"));
    }

    @Test
    void metersIfThereIsARegistry() {
        memory().run(context -> assertThat(context).doesNotHaveBean(Meters.class));
        ApplicationContextRunner measured = memory().withBean(MeterRegistry.class, SimpleMeterRegistry::new);
        measured.run(context -> {
            assertThat(context).hasSingleBean(Meters.class);
            assertThat(context.getBean(MeterRegistry.class)
                            .get("boltwork.lock.queue")
                            .gauge()
                            .value())
                    .isZero();
        });
        measured.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Meters.class));
        assertWrong(measured, "boltwork.metrics.max-groups=0", "at least 1");
        assertWrong(measured, "boltwork.metrics.max-groups=some", "some");
        assertWrong(measured, "boltwork.metrics.buckets=1s,0s", "longer than zero");
        assertWrong(measured, "boltwork.metrics.buckets=1s,-1s", "longer than zero");
        assertWrong(measured, "boltwork.metrics.buckets=soon", "soon");
    }

    @Test
    void observationsIfThereIsOneRegistry() {
        TestObservationRegistry registry = TestObservationRegistry.create();
        memory().withBean(TestObservationRegistry.class, () -> registry).run(context -> {
            context.getBean(LockTemplate.class).execute("stock:1", () -> "done");
            TestObservationRegistryAssert.assertThat(registry)
                    .hasSingleObservationThat()
                    .hasNameEqualTo("boltwork.lock.acquire");
        });
    }

    @Test
    void lockRegistryIfSpringIntegrationHasNoOther() {
        memory().run(context -> assertThat(context).hasSingleBean(BoltworkLockRegistry.class));
        LockRegistry<Lock> own = key -> new ReentrantLock();
        memory().withBean("own", LockRegistry.class, () -> own)
                .run(context -> assertThat(context)
                        .hasSingleBean(LockRegistry.class)
                        .doesNotHaveBean(BoltworkLockRegistry.class));
        memory().withClassLoader(new FilteredClassLoader(LockRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("boltworkLockRegistry"));
    }
}
