// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockListener;
import io.boltwork.cdi.bean.LocksReadiness;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.Test;

/** Health, meters and listeners. */
class ObservabilityTest {

    @Singleton
    static class Registry {
        @Produces
        @Singleton
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Singleton
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
                Application application = Application.start(
                        Map.of("boltwork.redis.uri", redis.uri(), "boltwork.redis.timeout", "500ms"),
                        Shop.class,
                        Stock.class,
                        Registry.class,
                        Listener.class)) {
            application.get(Shop.class).buy("1001");
            MeterRegistry meters = application.get(MeterRegistry.class);
            Await.until(
                    "the hold is counted",
                    () -> meters.get("boltwork.lock.hold")
                                    .tag("group", "stock")
                                    .timer()
                                    .count()
                            == 1);
            Listener listener = application.get(Listener.class);
            Await.until("the release is heard of", () -> listener.released.get() == 1);

            LocksReadiness readiness = application.get(LocksReadiness.class, new Ready());
            assertThat(readiness.call().getStatus()).isEqualTo(Status.UP);
            assertThat(readiness.call().getData())
                    .hasValueSatisfying(data ->
                            assertThat(data).containsEntry("connected", true).containsEntry("held", 0L));
            redis.kill();
            Await.until("locks are not usable", () -> readiness.call().getStatus() == Status.DOWN);
        }
    }

    private static final class Ready extends jakarta.enterprise.util.AnnotationLiteral<Readiness> implements Readiness {
        private static final long serialVersionUID = 1L;
    }
}
