// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A cluster whose masters stay the masters, because its patience is longer than the tests. */
record ClusterSite(ClusterGroup group) implements LockSite {
    static final Duration PATIENT = Duration.ofMinutes(10);

    private static final Duration COMMAND_TIMEOUT = Slack.seconds(1);

    @Override
    public LockBackend newBackend() {
        return RedisBackend.connectCluster(group.uris().stream()
                .map(uri -> uri + RedisSite.timeout(COMMAND_TIMEOUT))
                .toList());
    }

    @Override
    public void flush() {
        group.masters().forEach(master -> master.command("FLUSHALL"));
    }

    @Override
    public void deleteLock(String name) {
        String key = "boltwork:{" + name + "}";
        group.masterOf(Slots.of(key)).command("DEL", key);
    }

    @Override
    public int replicas() {
        return Integer.parseInt(
                Objects.requireNonNull(ReplicaGroup.field(group.masters().get(0), "connected_slaves")));
    }

    @Override
    public void freeze() {
        masters().forEach(RedisServer::freeze);
    }

    @Override
    public void thaw() {
        masters().forEach(RedisServer::thaw);
    }

    @Override
    public void disconnectAll() {
        group.masters().forEach(master -> {
            master.command("CLIENT", "KILL", "TYPE", "normal");
            master.command("CLIENT", "KILL", "TYPE", "pubsub");
        });
    }

    @Override
    public void restartEmpty() {
        masters().forEach(group::restart);
        group.awaitOk();
    }

    /** The servers that were masters at first. */
    private List<RedisServer> masters() {
        return group.nodes().subList(0, group.nodes().size() / 2);
    }

    @Override
    public int listeners() {
        Set<String> clients = new HashSet<>();
        for (RedisServer master : group.masters()) {
            clients.addAll(clients(master, "CHANNELS"));
            if (!master.version().startsWith("6")) {
                clients.addAll(clients(master, "SHARDCHANNELS"));
            }
        }
        return clients.size();
    }

    private static List<String> clients(RedisServer master, String which) {
        List<?> channels = (List<?>) Objects.requireNonNull(master.command("PUBSUB", which, "boltwork:grants:*"));
        return channels.stream()
                .map(String::valueOf)
                .map(channel -> channel.substring(channel.lastIndexOf(':') + 1))
                .toList();
    }
}
