// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.redis.connect.Poll;
import io.boltwork.redis.connect.Poll.PollResult;
import io.boltwork.redis.connect.PolledServer;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes of a cluster which master has which slots. Each node reports only what other nodes have told it, so the
 * most frequent answer is used. All but {@link #first} belongs to the loop thread.
 */
final class ClusterMaps {
    private final RedisDeployment deployment;
    private final LettuceClient lettuce;
    private final Poll<SlotMap> poll;
    private final Map<String, PolledServer<SlotMap>> servers = new HashMap<>();
    private long readings;

    ClusterMaps(RedisDeployment deployment, LettuceClient lettuce) {
        this.deployment = deployment;
        this.lettuce = lettuce;
        this.poll = new Poll<>(lettuce.loop());
    }

    /**
     * Asks all nodes that the user has named. Fails with a {@link BackendException} that lists the outcome for each
     * of them.
     */
    CompletableFuture<SlotMap> first() {
        return poll.ask(
                        () -> deployment.members().stream().map(this::server).toList(),
                        deployment.connectTimeout().toMillis())
                .thenApply(this::most);
    }

    /**
     * Asks some of the masters and of the nodes that the user has named.
     *
     * @param but a node not to ask, or {@code null}
     */
    CompletableFuture<SlotMap> ask(Set<NodeAddress> masters, @Nullable NodeAddress but, int some, long millis) {
        return poll.ask(() -> anyOf(masters, but, some), millis).thenApply(this::most);
    }

    private List<PolledServer<SlotMap>> anyOf(Collection<NodeAddress> masters, @Nullable NodeAddress but, int some) {
        Map<String, RedisAddress> known = new HashMap<>();
        deployment.members().forEach(member -> known.put(member.hostAndPort(), member));
        for (NodeAddress master : masters) {
            RedisAddress there = deployment.node().at(master.host(), master.port());
            known.put(there.hostAndPort(), there);
        }
        servers.keySet().retainAll(known.keySet());
        List<RedisAddress> any = new ArrayList<>(known.values());
        Collections.shuffle(any);
        return any.stream()
                .filter(each -> but == null || !each.hostAndPort().equals(but.toString()))
                .limit(some)
                .map(this::server)
                .toList();
    }

    private PolledServer<SlotMap> server(RedisAddress where) {
        return servers.computeIfAbsent(
                where.hostAndPort(),
                name -> new PolledServer<>(where, Errors.of(where), lettuce::connectText, this::slots));
    }

    private CompletionStage<SlotMap> slots(RedisAddress where, StatefulRedisConnection<String, String> connection) {
        NodeAddress asked =
                new NodeAddress(where.lettuce().getHost(), where.lettuce().getPort());
        return connection.async().clusterSlots().thenApply(reply -> SlotMap.parse(reply, asked, ++readings));
    }

    private SlotMap most(PollResult<SlotMap> heard) {
        SlotMap best = null;
        long votes = 0;
        for (SlotMap map : heard.answers()) {
            long same = heard.answers().stream().filter(map::isSameAs).count();
            if (same > votes) {
                votes = same;
                best = map;
            }
        }
        if (best == null) {
            throw Errors.none("Cannot find out the slots of " + deployment.describe(), heard.failures());
        }
        return best;
    }
}
