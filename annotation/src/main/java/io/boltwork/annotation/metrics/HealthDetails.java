// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.metrics;

import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Details of clients for the health check of a framework; see {@link ClientHealth}.
 *
 * @param usable whether locks can be acquired and kept with all of them
 * @param values texts, numbers and booleans
 */
public record HealthDetails(boolean usable, Map<String, Object> values) {

    /** Returns the details of clients by name. The values of the only client have no prefix. */
    public static HealthDetails of(Map<String, LockClient> clients) {
        Map<String, Object> values = new LinkedHashMap<>();
        boolean usable = true;
        for (Map.Entry<String, LockClient> each : clients.entrySet()) {
            ClientHealth health = each.getValue().health();
            usable &= health.usable();
            add(clients.size() == 1 ? "" : each.getKey() + ".", health, values);
        }
        return new HealthDetails(usable, values);
    }

    private static void add(String prefix, ClientHealth health, Map<String, Object> values) {
        values.put(prefix + "connected", health.connected());
        values.put(prefix + "usable", health.usable());
        values.put(prefix + "held", (long) health.held());
        values.put(prefix + "waiting", (long) health.waiting());
        values.put(prefix + "renewalLag", health.renewalLag().toMillis() + " ms");
        values.put(prefix + "nodes", health.nodes().toString());
        if (!health.warnings().isEmpty()) {
            values.put(prefix + "warnings", String.join("; ", health.warnings()));
        }
    }
}
