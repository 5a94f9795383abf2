// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.spi.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Finds the master of a deployment. Each kind of {@link RedisDeployment} has its own finder. The result is a hint: a
 * connection is used only if its server calls itself a master. Thread-safe.
 */
public interface MasterFinder {

    /**
     * Finds the master, if necessary by asking servers.
     *
     * @param millis how long to wait for the first answer
     * @return the address of the master. Fails with a {@link io.boltwork.BackendException} that lists the outcome for
     *     each server asked
     */
    CompletableFuture<RedisAddress> find(long millis);

    /** Returns whether another server may become the master while the connection to the old one stays up. */
    boolean mayMove();

    /** Returns whether another server may take the place of the master. */
    default boolean mayBeReplaced() {
        return mayMove();
    }

    /**
     * Asks other servers whether a server that was slow or silent is still the master. A master that was frozen still
     * calls itself a master when it wakes, until it learns of its successor. Meanwhile, both would grant locks.
     *
     * @return a future that fails with a {@link io.boltwork.BackendException} if the server is not the master, or if no
     *     answer confirms that it is. In a cluster, a node is also confirmed if no other node answers
     */
    default CompletableFuture<?> confirm(RedisAddress server, Errors errors) {
        if (!mayBeReplaced()) {
            return CompletableFuture.completedFuture(server);
        }
        return find(server.connectTimeout().toMillis()).thenAccept(master -> {
            if (!master.hostAndPort().equals(server.hostAndPort())) {
                throw errors.replaced("the master is at " + master.hostAndPort() + " now");
            }
        });
    }

    /**
     * Asks all known servers for their state at once.
     *
     * @param but host and port of a server not to ask
     * @param millis how long to wait for an answer
     * @return one future for each server, none of which fails
     */
    default List<CompletableFuture<NodeStatus>> probe(String but, long millis) {
        return List.of();
    }

    /** Returns the finder of a deployment that has one master. */
    static MasterFinder of(RedisDeployment deployment, LettuceClient lettuce) {
        return switch (deployment.kind()) {
            case STANDALONE -> fixed(deployment.node());
            case SENTINEL -> new SentinelFinder(deployment, lettuce.loop(), lettuce::connectText);
            case REPLICATED -> new ReplicaFinder(deployment, lettuce.loop(), lettuce::connectText);
            case CLUSTER -> throw new IllegalArgumentException("A cluster has several masters");
        };
    }

    /** Returns the finder of a deployment of one server. */
    static MasterFinder fixed(RedisAddress only) {
        return new MasterFinder() {
            @Override
            public CompletableFuture<RedisAddress> find(long millis) {
                return CompletableFuture.completedFuture(only);
            }

            @Override
            public boolean mayMove() {
                return false;
            }
        };
    }
}
