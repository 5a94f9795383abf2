// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ServerTime;
import io.netty.util.concurrent.EventExecutor;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Watches which master of a cluster has which slots, and tells the client which slots it can use. A slot map is only a
 * hint: up to three nodes are asked, and the most frequent answer is used. Only the node itself knows whether it has a
 * slot.
 */
final class SlotWatch {

    /** The interval at which the slot map is read. After a failover, locks must work again within 2 s. */
    static final long CALM_MILLIS = 1_000;

    /** The interval at which the slot map is read while it is known to be wrong. */
    private static final long RESTLESS_MILLIS = 200;

    /**
     * The delay before the map is read on a suspicion. Many commands are redirected when a slot moves, and the map is
     * read once for all of them.
     */
    private static final long SUSPICION_MILLIS = 50;

    /**
     * The number of nodes that are asked. Three is the smallest number with a correct majority if one node is wrong.
     */
    static final int ASKED = 3;

    private final ClusterRouting routing;
    private final ClusterMaps maps;
    private final Errors errors;
    private final EventExecutor loop;
    private volatile Topology topology = Topology.NONE;

    /* The following fields belong to the loop thread. */
    private final BitSet unheard = new BitSet(Slots.COUNT);
    private boolean looking;
    private boolean lookAgain;
    private boolean suspects;

    SlotWatch(ClusterRouting routing, ClusterMaps maps, Errors errors, EventExecutor loop) {
        this.routing = routing;
        this.maps = maps;
        this.errors = errors;
        this.loop = loop;
    }

    /** Returns which node has which slots, as far as is known. */
    Topology topology() {
        return topology;
    }

    /** Sets the first topology. */
    void begin(Topology first) {
        topology = first;
    }

    /** Returns the masters that have slots and are known as nodes. */
    Set<ClusterNode> masters() {
        Set<ClusterNode> masters = new LinkedHashSet<>();
        Topology now = topology;
        for (NodeAddress address : now.map().masters()) {
            ClusterNode node = routing.known(address);
            if (node != null) {
                masters.add(node);
            }
        }
        return masters;
    }

    /** Returns one of a node's slots at random, or -1 if it has none. */
    int anySlot(ClusterNode node) {
        BitSet slots = topology.slots(node);
        int size = slots.cardinality();
        return size == 0
                ? -1
                : slots.stream()
                        .skip(ThreadLocalRandom.current().nextInt(size))
                        .findFirst()
                        .orElse(-1);
    }

    /** Returns the reason why a slot cannot be used. */
    static BackendException uncovered(int slot) {
        return new BackendException("no master has slot " + slot, true, null);
    }

    // ================================================================ reading maps

    /** Reads the map at intervals until the routing is closed. On the loop thread. */
    void lookLater() {
        if (!routing.isClosed()) {
            boolean calm = masters().stream().allMatch(ClusterNode::isUp) || routing.listener() == null;
            loop.schedule(
                    () -> {
                        look();
                        lookLater();
                    },
                    calm && topology.map().isCovered() ? CALM_MILLIS : RESTLESS_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Reads the map soon, because a slot may have moved. */
    void suspicion() {
        try {
            loop.execute(() -> {
                if (!suspects && !routing.isClosed()) {
                    suspects = true;
                    loop.schedule(
                            () -> {
                                suspects = false;
                                look();
                            },
                            SUSPICION_MILLIS,
                            TimeUnit.MILLISECONDS);
                }
            });
        } catch (RejectedExecutionException e) {
            // the application has shut its threads down
        }
    }

    /** Tells the client again that a slot is connected, even if the map has not changed. On the loop thread. */
    void unheard(int slot) {
        unheard.set(slot);
        suspicion();
    }

    private void look() {
        if (looking || routing.isClosed()) {
            lookAgain = looking; // the answers under way may be older than the change
            return;
        }
        looking = true;
        maps.ask(topology.map().masters(), null, ASKED, CALM_MILLIS)
                .whenComplete((map, failure) -> loop.execute(() -> {
                    looking = false;
                    if (map != null && !routing.isClosed()) {
                        follow(map);
                    }
                    if (lookAgain) {
                        lookAgain = false;
                        look();
                    }
                }));
    }

    // ================================================================ following maps

    private void follow(SlotMap map) {
        Topology before = topology;
        boolean same = before.map().isSameAs(map);
        if (same && unheard.isEmpty()) {
            return;
        }
        Topology next = same ? before : Topology.of(map, routing::node);
        topology = next;
        BitSet moved = next.movedSince(before);
        moved.or(unheard); // these may have moved and come back
        unheard.clear();
        Set<ClusterNode> targets = new LinkedHashSet<>(masters());
        for (ClusterNode target : targets) {
            BitSet gained = next.slots(target);
            gained.and(moved);
            if (!gained.isEmpty()) {
                gained(target, gained);
            }
        }
        BitSet orphaned = next.slots(null);
        orphaned.and(moved);
        BackendListener told = routing.listener();
        if (!orphaned.isEmpty() && told != null) {
            told.disconnected(uncovered(orphaned.nextSetBit(0)), orphaned);
        }
        routing.retireAllBut(targets, before.map().masters());
    }

    private void gained(ClusterNode target, BitSet slots) {
        BackendListener told = routing.listener();
        if (told == null) {
            return;
        }
        CompletionStage<ServerTime> time = target.isUp() ? target.time() : null;
        if (time == null) {
            told.disconnected(errors.broken("slots have moved to " + target + ", which is not connected yet"), slots);
            return;
        }
        time.whenComplete((read, failure) -> loop.execute(() -> {
            BitSet still = topology.slots(target);
            still.and(slots);
            if (read != null && target.isUp() && !still.isEmpty()) {
                told.connected(read, still);
            }
        }));
    }

    /** Tells the client that a node's slots can be used. */
    void up(ClusterNode node, ServerTime time) {
        BackendListener told = routing.listener();
        BitSet slots = topology.slots(node);
        if (told != null && !slots.isEmpty()) {
            told.connected(time, slots);
        }
    }

    /** Tells the client that a node's slots cannot be used any more. Gives up a node without slots. */
    void down(ClusterNode node, Throwable cause) {
        BackendListener told = routing.listener();
        BitSet slots = topology.slots(node);
        if (slots.isEmpty()) {
            routing.retire(node, true);
        } else if (told != null) {
            told.disconnected(cause, slots);
        }
        suspicion();
    }
}
