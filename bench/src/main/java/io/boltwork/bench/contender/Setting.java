// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The settings for opening a contender.
 *
 * @param deployment the deployment that serves the locks
 * @param uris the address of each server: {@code redis://host:port}, or {@code jdbc:...}, or {@code host:port} of
 *     ZooKeeper, or {@code http://host:port} of etcd
 * @param lease how long a lock lasts if its holder dies; a contender that renews by default renews this lease
 * @param renewed whether locks are held for longer than the lease, so that every contender must renew them
 */
public record Setting(BenchDeployment deployment, List<String> uris, Duration lease, boolean renewed) {
    public Setting(BenchDeployment deployment, List<String> uris) {
        this(deployment, uris, USUAL_LEASE, false);
    }

    /** The lease that Redisson and Boltwork use by default. */
    public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    public boolean isCluster() {
        return deployment == BenchDeployment.CLUSTER;
    }

    /** Returns the only server. For contenders that are compared on one server only. */
    public String uri() {
        if (isCluster()) {
            throw new IllegalArgumentException("This contender is not compared on a cluster");
        }
        return uris.get(0);
    }

    public String host() {
        return URI.create(uri()).getHost();
    }

    public int port() {
        return URI.create(uri()).getPort();
    }
}
