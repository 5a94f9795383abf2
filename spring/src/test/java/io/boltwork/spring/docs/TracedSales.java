// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.stereotype.Component;

/** The service in the trace of docs/run/dashboards.md. */
@Component
class TracedSales {
    private final Stock stock;
    private final ObservationRegistry observations;

    TracedSales(Stock stock, ObservationRegistry observations) {
        this.stock = stock;
        this.observations = observations;
    }

    @DistributedLock("stock:#{#item}")
    public boolean sell(String item) {
        return Observation.createNotStarted("sell", observations).observe(() -> stock.decrease(item) > 0);
    }
}
