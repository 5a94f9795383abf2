// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.Poll.PollResult;
import io.boltwork.spi.NodeStatus;
import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks the servers themselves which of them is the master. Also asks a master that only its replicas name. */
final class ReplicaFinder implements MasterFinder {
    /** The time for which a master that no longer answers counts as the last known one. */
    private static final long MEMORY = TimeUnit.SECONDS.toNanos(10);

    private final RedisDeployment deployment;
    private final EventExecutor loop;
    private final Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect;
    private final Poll<ReplicationState> poll;

    /** The servers by host and port. Only the loop thread adds servers. */
    private final Map<String, PolledServer<ReplicationState>> nodes = new ConcurrentSkipListMap<>();

    /* The following fields belong to the loop thread. */
    private @Nullable ReplicationState newest;
    private long newestAt;

    ReplicaFinder(
            RedisDeployment deployment,
            EventExecutor loop,
            Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect) {
        this.deployment = deployment;
        this.loop = loop;
        this.connect = connect;
        this.poll = new Poll<>(loop);
        deployment.members().forEach(this::add);
    }

    private boolean add(RedisAddress address) {
        return nodes.putIfAbsent(
                        address.hostAndPort(),
                        new PolledServer<>(
                                address,
                                Errors.of(address),
                                connect,
                                (where, lettuce) -> lettuce.async()
                                        .info("replication")
                                        .thenApply(info -> ReplicationState.of(where, info))))
                == null;
    }

    @Override
    public CompletableFuture<RedisAddress> find(long millis) {
        return ask(millis)
                .thenCompose(heard -> {
                    boolean others = false;
                    for (ReplicationState replicationState : heard.answers()) {
                        RedisAddress master = replicationState.follows();
                        others |= master != null && isNobodyMaster(heard) && add(master);
                    }
                    return others ? ask(millis) : CompletableFuture.completedFuture(heard);
                })
                .thenApply(this::chosen);
    }

    private CompletableFuture<PollResult<ReplicationState>> ask(long millis) {
        return poll.ask(() -> List.copyOf(nodes.values()), millis);
    }

    private static boolean isNobodyMaster(PollResult<ReplicationState> heard) {
        return heard.answers().stream().noneMatch(ReplicationState::isMaster);
    }

    private RedisAddress chosen(PollResult<ReplicationState> heard) {
        long now = System.nanoTime();
        ReplicationState before = newest != null && now - newestAt < MEMORY ? newest : null;
        ReplicationState master = ReplicationState.master(heard.answers(), before);
        if (master == null) {
            throw noMaster(heard);
        }
        newest = master;
        newestAt = now;
        return master.address();
    }

    private BackendException noMaster(PollResult<ReplicationState> heard) {
        String cannot = "Cannot find " + deployment.describe() + ": ";
        List<String> masters = new ArrayList<>();
        List<String> replicas = new ArrayList<>();
        for (ReplicationState replicationState : heard.answers()) {
            (replicationState.isMaster() ? masters : replicas)
                    .add(replicationState.address().hostAndPort());
        }
        if (!masters.isEmpty()) {
            return new BackendException(
                    cannot + String.join(" and ", masters)
                            + " call themselves masters, and nothing shows which of them"
                            + " replaced the other; make the others replicas of the right one, or use connectCluster if"
                            + " they are nodes of a Redis Cluster",
                    true,
                    null);
        }
        if (!replicas.isEmpty()) {
            cannot += "only replicas answered, at " + String.join(", ", replicas);
        } else {
            cannot += "no server answered";
        }
        return Errors.none(cannot, heard.failures());
    }

    @Override
    public List<CompletableFuture<NodeStatus>> probe(String but, long millis) {
        return nodes.values().stream()
                .filter(node -> !node.where().equals(but))
                .map(node -> node.probe(loop, millis))
                .toList();
    }

    @Override
    public boolean mayMove() {
        return true;
    }
}
