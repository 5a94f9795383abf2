// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;

/** Adds meters to the clients, if the application has a registry of Micrometer. */
@Singleton
public class ClientMeters implements StartCheck.Extra {
    private final Instance<MeterRegistry> registries;
    private final LockBeans beans;

    @Inject
    ClientMeters(Instance<MeterRegistry> registries, LockBeans beans) {
        this.registries = registries;
        this.beans = beans;
    }

    @Override
    public void started(Map<String, LockClient> clients) {
        if (registries.isResolvable()) {
            BoltworkConfig config = MicroProfileSettings.current();
            clients.forEach((name, client) -> client.addListener(
                    new LockMetrics(
                            registries.get(),
                            beans.groups(),
                            config.buckets(),
                            client,
                            clients.size() == 1 ? Tags.empty() : Tags.of("client", name)),
                    Runnable::run));
        }
    }
}
