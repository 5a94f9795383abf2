// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import io.boltwork.cdi.config.BoltworkConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Reports whether locks can be acquired and kept; see {@link ClientHealth#usable}. */
@Readiness
@Singleton
public class LocksReadiness implements HealthCheck {
    private final LockBeans beans;

    @Inject
    LocksReadiness(LockBeans beans) {
        this.beans = beans;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response = HealthCheckResponse.named("locks").up();
        Map<String, LockClient> clients =
                BoltworkConfig.current().isEnabled() ? beans.clients().byName() : Map.of();
        clients.forEach((name, client) -> add(clients.size() == 1 ? "" : name + ".", client.health(), response));
        return response.build();
    }

    private static void add(String prefix, ClientHealth health, HealthCheckResponseBuilder response) {
        if (!health.usable()) {
            response.down();
        }
        response.withData(prefix + "connected", health.connected())
                .withData(prefix + "usable", health.usable())
                .withData(prefix + "held", health.held())
                .withData(prefix + "waiting", health.waiting())
                .withData(prefix + "renewalLag", health.renewalLag().toMillis() + " ms")
                .withData(prefix + "nodes", health.nodes().toString());
        if (!health.warnings().isEmpty()) {
            response.withData(prefix + "warnings", String.join("; ", health.warnings()));
        }
    }
}
