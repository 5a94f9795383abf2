// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import java.util.Map;

/** Adds meters to the clients, if the application has a registry of Micrometer. */
@Singleton
@Requires(classes = MeterRegistry.class, beans = MeterRegistry.class)
final class ClientMeters implements StartCheck.Extra {
    private final MeterRegistry registry;
    private final LockCalls calls;
    private final BoltworkConfig config;

    ClientMeters(MeterRegistry registry, LockCalls calls, BoltworkConfig config) {
        this.registry = registry;
        this.calls = calls;
        this.config = config;
    }

    @Override
    public void started(Map<String, LockClient> clients) {
        clients.forEach((name, client) -> client.addListener(
                new LockMetrics(
                        registry,
                        calls.groups(),
                        config.buckets(),
                        client,
                        clients.size() == 1 ? Tags.empty() : Tags.of("client", name)),
                Runnable::run));
    }
}
