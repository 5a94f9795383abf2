// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.address.RedisDeployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Connects to the servers of a quorum. */
final class QuorumConnector {
    private QuorumConnector() {}

    /** Makes a backend of several servers, each of which is connected in the background. */
    static QuorumBackend connect(List<String> uris, RedisOptions options, QuorumOptions quorum) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(quorum, "quorum");
        if (options.bridge().isPresent()) {
            throw new IllegalArgumentException(
                    "options must have no bridge: the locks of a quorum cannot be shared with Redisson");
        }
        if (Set.copyOf(uris).size() < uris.size()) {
            throw new IllegalArgumentException("uris must be different servers, but one is given twice: "
                    + uris.stream()
                            .map(uri -> RedisDeployment.parse(uri, options.sentinelCredentials())
                                    .toString())
                            .toList());
        }
        RedisOptions each = options.withLazyConnect(true); // a server that is down must not delay the others
        List<OwnThread<RedisBackend>> attempts = uris.stream()
                .map(uri -> OwnThread.begin(() -> RedisBackend.connectOne(uri, each)))
                .toList();
        List<RedisBackend> nodes = new ArrayList<>();
        RuntimeException failure = null;
        for (OwnThread<RedisBackend> attempt : attempts) {
            try {
                nodes.add(attempt.await());
            } catch (IllegalArgumentException | BackendException refused) {
                failure = failure == null ? refused : failure;
            }
        }
        try {
            if (failure != null) {
                throw failure;
            }
            return QuorumBackend.of(nodes, quorum.withConnectTimeout(options.connectTimeout()));
        } catch (IllegalArgumentException | BackendException refused) {
            nodes.forEach(RedisBackend::close);
            throw refused;
        }
    }
}
