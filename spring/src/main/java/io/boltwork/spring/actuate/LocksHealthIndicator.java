// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import io.boltwork.ClientHealth;
import io.boltwork.Leadership;
import io.boltwork.LockClient;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Reports whether locks can be acquired and kept; see {@link ClientHealth#usable}. */
public final class LocksHealthIndicator extends AbstractHealthIndicator {
    private final LockClient client;
    private final Supplier<Stream<Leadership>> leaderships;

    public LocksHealthIndicator(LockClient client, Supplier<Stream<Leadership>> leaderships) {
        super("Could not determine the health of the locks");
        this.client = client;
        this.leaderships = leaderships;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ClientHealth health = client.health();
        if (health.usable()) {
            builder.up();
        } else {
            builder.down();
        }
        builder.withDetail("connected", health.connected())
                .withDetail("usable", health.usable())
                .withDetail("held", health.held())
                .withDetail("waiting", health.waiting())
                .withDetail("renewalLag", health.renewalLag().toMillis() + " ms")
                .withDetail(
                        "nodes",
                        health.nodes().stream().map(LocksHealthIndicator::text).toList());
        List<String> states = leaderships.get().map(Leadership::toString).toList();
        if (!states.isEmpty()) {
            builder.withDetail("leadership", states);
        }
        if (health.retained() > 0) {
            builder.withDetail("retained", health.retained());
        }
        if (health.retainedLost() > 0) {
            builder.withDetail("retainedLost", health.retainedLost());
        }
        if (health.conflicts() > 0) {
            builder.withDetail("conflicts", health.conflicts());
        }
        if (!health.warnings().isEmpty()) {
            builder.withDetail("warnings", health.warnings());
        }
    }

    private static String text(NodeStatus node) {
        return Printable.text(node.address() + " " + node.role()
                + (node.reachable()
                        ? " " + node.version() + ", " + node.latency().toNanos() / 1_000 + " µs"
                                + (node.problem().isEmpty() ? "" : ", " + node.problem())
                        : " unreachable: " + node.problem()));
    }
}
