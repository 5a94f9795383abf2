// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.connect.MasterFinder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Confirms that a node of a cluster still has its place before connections to it are used. A node that was frozen does
 * not know that another one has taken its slots. Thread-safe.
 */
final class NodeConfirmation implements MasterFinder {

    /**
     * The maximum time to wait for other nodes. After the first answer, the other nodes are awaited for at least 0.2 s,
     * so this time must be longer. It must also be short enough not to matter if no node answers.
     */
    private static final long ANSWER_MILLIS = 500;

    private final NodeAddress address;
    private final RedisAddress where;
    private final Errors errors;
    private final ClusterMaps maps;
    private final SlotWatch watch;
    private final long named = System.nanoTime();

    /**
     * Creates the confirmation of a node that a slot map or a redirection has just named.
     *
     * @param address the node, as the cluster names it
     * @param where the same node, as the client reaches it
     */
    NodeConfirmation(NodeAddress address, RedisAddress where, Errors errors, ClusterMaps maps, SlotWatch watch) {
        this.address = address;
        this.where = where;
        this.errors = errors;
        this.maps = maps;
        this.watch = watch;
    }

    @Override
    public CompletableFuture<RedisAddress> find(long millis) {
        // Slot maps are read at this interval, so no other node knows better before it has passed.
        boolean isNews = System.nanoTime() - named < TimeUnit.MILLISECONDS.toNanos(SlotWatch.CALM_MILLIS);
        return isNews
                ? CompletableFuture.completedFuture(where)
                : notReplaced(errors).thenApply(confirmed -> where);
    }

    @Override
    public boolean mayMove() {
        return false; // slots may move, which SlotWatch handles
    }

    @Override
    public boolean mayBeReplaced() {
        return true;
    }

    @Override
    public CompletableFuture<?> confirm(RedisAddress server, Errors serverErrors) {
        return notReplaced(serverErrors);
    }

    /**
     * Fails if another node has taken the place of this one. This node itself is not asked. A node without slots
     * passes, because it may be about to get some. If no node answers, this node passes too.
     */
    private CompletableFuture<?> notReplaced(Errors itsErrors) {
        SlotMap known = watch.topology().map(); // the present one: it may have changed when the answers arrive
        return maps.ask(known.masters(), address, SlotWatch.ASKED, ANSWER_MILLIS)
                .exceptionally(noAnswer -> known)
                .thenAccept(map -> {
                    if (known.masters().contains(address) && !map.masters().contains(address)) {
                        watch.suspicion();
                        throw itsErrors.replaced("another node has its slots now");
                    }
                });
    }
}
