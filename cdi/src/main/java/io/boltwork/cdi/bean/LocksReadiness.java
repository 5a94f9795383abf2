// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.ClientHealth;
import io.boltwork.annotation.metrics.HealthDetails;
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
        HealthDetails details = HealthDetails.of(
                MicroProfileSettings.current().isEnabled() ? beans.clients().byName() : Map.of());
        HealthCheckResponseBuilder response = HealthCheckResponse.named("locks").status(details.usable());
        details.values().forEach((key, value) -> {
            if (value instanceof Boolean flag) {
                response.withData(key, flag);
            } else if (value instanceof Long number) {
                response.withData(key, number);
            } else {
                response.withData(key, value.toString());
            }
        });
        return response.build();
    }
}
