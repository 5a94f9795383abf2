package io.boltwork.bench;

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
 * For floors: Lettuce alone, with a plain connection to each master that is needed. Who has which slot is asked once. Thread-safe.
 */
final class Masters implements AutoCloseable {
    private final RedisClient lettuce = RedisClient.create();
    private final RedisURI first;
    private final @Nullable Partitions partitions;
    private final Map<RedisURI, StatefulRedisConnection<String, String>> connections = new ConcurrentHashMap<>();

    Masters(Setting setting) {
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

    /** The connection to the master of a key's slot; connects if there is none. */
    StatefulRedisConnection<String, String> of(String key) {
        return connections.computeIfAbsent(uri(key), lettuce::connect);
    }

    /** A new connection that listens, to the master of a channel's slot. */
    StatefulRedisPubSubConnection<String, String> listener(String channel) {
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
