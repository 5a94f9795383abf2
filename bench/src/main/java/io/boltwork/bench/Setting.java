package io.boltwork.bench;

import java.net.URI;
import java.time.Duration;

/**
 * What a contender is opened with.
 *
 * @param uri {@code redis://host:port}
 * @param lease how long a lock lasts if its holder dies; who renews its locks by default renews this one
 * @param renewed whether locks are held for longer than that, so that who does not renew them by default has to
 */
record Setting(String uri, Duration lease, boolean renewed) {
    Setting(String uri) {
        this(uri, USUAL_LEASE, false);
    }

    /** What Redisson and Boltwork take if told nothing. */
    static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    String host() {
        return URI.create(uri).getHost();
    }

    int port() {
        return URI.create(uri).getPort();
    }
}
