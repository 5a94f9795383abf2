// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.floor;

import io.boltwork.bench.contender.Setting;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce alone, for floors, with a plain connection to each master that is needed. Asks for the masters of the slots
 * once. Thread-safe.
 */
public final class Masters implements AutoCloseable {
    private final RedisClient lettuce = RedisClient.create();
    private final RedisURI first;
    private final @Nullable Partitions partitions;
    private final Map<RedisURI, StatefulRedisConnection<String, String>> connections = new ConcurrentHashMap<>();

    public Masters(Setting setting) {
        first = RedisURI.create(setting.uris().get(0));
        partitions = setting.isCluster() ? partitions(first) : null;
    }

    private static Partitions partitions(RedisURI node) {
        RedisClusterClient cluster = RedisClusterClient.create(node);
        try {
            cluster.refreshPartitions();
            return cluster.getPartitions();
        } finally {
            cluster.shutdown();
        }
    }

    /** Returns the connection to the master of a key's slot. Connects if there is none. */
    public StatefulRedisConnection<String, String> of(String key) {
        return connections.computeIfAbsent(uri(key), lettuce::connect);
    }

    /** Returns a new connection for subscriptions to the master of a channel's slot. */
    public StatefulRedisPubSubConnection<String, String> listener(String channel) {
        return lettuce.connectPubSub(uri(channel));
    }

    private RedisURI uri(String key) {
        return partitions == null
                ? first
                : partitions.getMasterBySlot(SlotHash.getSlot(key)).getUri();
    }

    @Override
    public void close() {
        lettuce.shutdown();
    }
}
