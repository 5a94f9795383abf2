// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.metrics.HealthDetails;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.AsyncSingleResultPublisher;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;

/** Reports whether locks can be acquired and kept; see {@link io.boltwork.ClientHealth#usable}. */
@Readiness
@Singleton
@Requires(classes = HealthIndicator.class)
final class LocksHealth implements HealthIndicator {
    private final BoltworkConfig config;
    private final BeanClients clients;

    /** The state is asked from the servers, for which no event loop must wait. */
    private final ExecutorService executor;

    LocksHealth(BoltworkConfig config, BeanClients clients, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
        this.config = config;
        this.clients = clients;
        this.executor = executor;
    }

    @Override
    public Publisher<HealthResult> getResult() {
        return new AsyncSingleResultPublisher<>(executor, this::result);
    }

    private HealthResult result() {
        HealthDetails details = HealthDetails.of(config.isEnabled() ? clients.byName() : Map.of());
        return HealthResult.builder("locks", details.usable() ? HealthStatus.UP : HealthStatus.DOWN)
                .details(details.values())
                .build();
    }
}
