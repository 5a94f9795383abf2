package io.boltwork.redis.connect;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.spi.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Says which server the master is: one way for each kind of {@link RedisDeployment}. What it says is a hint: a connection counts
 * only if the server at its end calls itself a master. Thread-safe.
 */
public interface MasterFinder {

    /**
     * Finds the master out, with questions to others if need be.
     *
     * @param millis how long it may take to hear from anybody at all
     * @return where it is; fails with a {@link io.boltwork.BackendException} that says what each of those who were asked said
     */
    CompletableFuture<RedisAddress> find(long millis);

    /** Whether the master may become another one while the connection to the old one stays up. */
    boolean mayMove();

    /** Whether another server may take the master's place. */
    default boolean mayBeReplaced() {
        return mayMove();
    }

    /**
     * Asks those who know whether a server that took long to answer, or was silent, is the master still. One that was frozen
     * calls itself one when it goes on, until it is told who has replaced it, and both would grant locks.
     *
     * @return fails with a {@link io.boltwork.BackendException} if it is not, or if nobody says so
     */
    default CompletableFuture<?> confirm(RedisAddress server, Errors errors) {
        if (!mayBeReplaced()) {
            return CompletableFuture.completedFuture(server);
        }
        return find(RedisAddress.CONNECT_TIMEOUT.toMillis()).thenAccept(master -> {
            if (!master.hostAndPort().equals(server.hostAndPort())) {
                throw errors.replaced("the master is at " + master.hostAndPort() + " now");
            }
        });
    }

    /**
     * Looks how those are who are asked, all at once.
     *
     * @param but whom not to ask
     * @param millis how long to wait for an answer
     * @return what never fails, one for each
     */
    default List<CompletableFuture<NodeStatus>> probe(String but, long millis) {
        return List.of();
    }

    /** The way of a deployment that has one master. */
    static MasterFinder of(RedisDeployment deployment, LettuceClient lettuce) {
        return switch (deployment.kind()) {
            case STANDALONE -> fixed(deployment.node());
            case SENTINEL -> new SentinelFinder(deployment, lettuce.loop(), lettuce::scout);
            case REPLICATED -> new ReplicaFinder(deployment, lettuce.loop(), lettuce::scout);
            case CLUSTER -> throw new IllegalArgumentException("A cluster has several masters");
        };
    }

    /** There is only one server. */
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
