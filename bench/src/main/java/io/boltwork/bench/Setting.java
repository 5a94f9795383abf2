package io.boltwork.bench;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * What a contender is opened with.
 *
 * @param deployment what the locks are on
 * @param uris {@code redis://host:port} of each server
 * @param lease how long a lock lasts if its holder dies; who renews its locks by default renews this one
 * @param renewed whether locks are held for longer than that, so that who does not renew them by default has to
 */
record Setting(Deployment deployment, List<String> uris, Duration lease, boolean renewed) {
    Setting(Deployment deployment, List<String> uris) {
        this(deployment, uris, USUAL_LEASE, false);
    }

    /** What Redisson and Boltwork take if told nothing. */
    static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    boolean isCluster() {
        return deployment == Deployment.CLUSTER;
    }

    /** For contenders that are compared on one server only. */
    String uri() {
        if (isCluster()) {
            throw new IllegalArgumentException("Not compared on a cluster");
        }
        return uris.get(0);
    }

    String host() {
        return URI.create(uri()).getHost();
    }

    int port() {
        return URI.create(uri()).getPort();
    }
}
