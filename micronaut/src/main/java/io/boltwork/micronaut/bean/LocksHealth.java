// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.metrics.HealthDetails;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import jakarta.inject.Singleton;
import java.util.Map;
import org.reactivestreams.Publisher;

/** Reports whether locks can be acquired and kept; see {@link io.boltwork.ClientHealth#usable}. */
@Readiness
@Singleton
@Requires(classes = HealthIndicator.class)
final class LocksHealth implements HealthIndicator {
    private final BoltworkConfig config;
    private final BeanClients clients;

    LocksHealth(BoltworkConfig config, BeanClients clients) {
        this.config = config;
        this.clients = clients;
    }

    @Override
    public Publisher<HealthResult> getResult() {
        HealthDetails details = HealthDetails.of(config.isEnabled() ? clients.byName() : Map.of());
        return Publishers.just(HealthResult.builder("locks", details.usable() ? HealthStatus.UP : HealthStatus.DOWN)
                .details(details.values())
                .build());
    }
}
