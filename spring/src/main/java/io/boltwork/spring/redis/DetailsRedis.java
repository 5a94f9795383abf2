// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.MasterReplica;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;

/**
 * The Redis that Spring Data Redis connects to: {@code spring.data.redis.*}, or the details of a service connection.
 */
public final class DetailsRedis implements ApplicationRedis {
    private final DataRedisConnectionDetails details;
    private final int database;

    /** Takes the database from the properties, because the details of a master with replicas do not name one. */
    public DetailsRedis(DataRedisConnectionDetails details, int database) {
        this.details = details;
        this.database = database;
    }

    @Override
    public RedisLocation target(@Nullable Duration timeout) {
        RedisLocation.Builder target = new RedisLocation.Builder("spring.data.redis")
                .credentials(details.getUsername(), details.getPassword())
                .timeout(timeout)
                .tls(false, details.getSslBundle());
        Sentinel sentinel = details.getSentinel();
        Cluster cluster = details.getCluster();
        MasterReplica replicas = details.getMasterReplica();
        if (sentinel != null) {
            target.sentinel(sentinel.getMaster(), sentinel.getUsername(), sentinel.getPassword())
                    .database(sentinel.getDatabase());
            add(target, sentinel.getNodes());
        } else if (cluster != null) {
            target.kind(RedisLocation.Kind.CLUSTER);
            add(target, cluster.getNodes());
        } else if (replicas != null) {
            target.kind(RedisLocation.Kind.REPLICATED).database(database);
            add(target, replicas.getNodes());
        } else {
            Standalone standalone = details.getStandalone();
            if (standalone == null) {
                throw new IllegalStateException(details + " does not contain the address of any Redis server");
            }
            target.node(standalone.getHost(), standalone.getPort()).database(standalone.getDatabase());
        }
        return target.build();
    }

    private static void add(RedisLocation.Builder target, Iterable<Node> nodes) {
        nodes.forEach(node -> target.node(node.host(), node.port()));
    }
}
