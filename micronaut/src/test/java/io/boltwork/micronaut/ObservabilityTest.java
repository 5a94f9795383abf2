// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockListener;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.health.HealthStatus;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Health, meters and listeners. */
class ObservabilityTest {

    @Factory
    @Requires(property = "observed")
    static class Registry {
        @Singleton
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Singleton
    @Requires(property = "observed")
    static class Listener implements LockListener {
        final AtomicInteger released = new AtomicInteger();

        @Override
        public void released(Released event) {
            released.incrementAndGet();
        }
    }

    @Test
    void anApplicationSeesItsLocks() {
        try (RedisServer redis = RedisServer.start();
                ApplicationContext application = ApplicationContext.run(Map.of(
                        "boltwork.redis.uri", redis.uri(), "boltwork.redis.timeout", "500ms", "observed", "true"))) {
            application.getBean(Shop.class).buy("1001");
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            Await.until(
                    "the hold is counted",
                    () -> meters.get("boltwork.lock.hold")
                                    .tag("group", "stock")
                                    .timer()
                                    .count()
                            == 1);
            Listener listener = application.getBean(Listener.class);
            Await.until("the release is heard of", () -> listener.released.get() == 1);

            HealthIndicator health =
                    application.getBeansOfType(HealthIndicator.class, Qualifiers.byStereotype(Readiness.class)).stream()
                            .filter(each -> result(each).getName().equals("locks"))
                            .findFirst()
                            .orElseThrow();
            assertThat(result(health).getStatus()).isEqualTo(HealthStatus.UP);
            assertThat(result(health).getDetails())
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsEntry("connected", true)
                    .containsEntry("held", 0L);
            redis.kill();
            Await.until("locks are not usable", () -> result(health).getStatus().equals(HealthStatus.DOWN));
        }
    }

    private static HealthResult result(HealthIndicator indicator) {
        return Mono.from(indicator.getResult()).block();
    }
}
