// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.wire.Slots;
import java.util.BitSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The node that the commands of each slot go to. Immutable. */
final class Topology {
    /** A topology in which no node has a slot. */
    static final Topology NONE = new Topology(SlotMap.empty(0), new @Nullable ClusterNode[Slots.COUNT]);

    private final SlotMap map;
    private final @Nullable ClusterNode[] nodes;

    private Topology(SlotMap map, @Nullable ClusterNode[] nodes) {
        this.map = map;
        this.nodes = nodes;
    }

    static Topology of(SlotMap map, Function<NodeAddress, ClusterNode> node) {
        @Nullable ClusterNode[] nodes = new @Nullable ClusterNode[Slots.COUNT];
        for (int slot = 0; slot < nodes.length; slot++) {
            NodeAddress master = map.master(slot);
            nodes[slot] = master == null
                    ? null
                    : slot > 0 && master.equals(map.master(slot - 1)) ? nodes[slot - 1] : node.apply(master);
        }
        return new Topology(map, nodes);
    }

    SlotMap map() {
        return map;
    }

    /** Returns the node of a slot, or {@code null} if there is none. */
    @Nullable
    ClusterNode node(int slot) {
        return nodes[slot];
    }

    /** Returns the slots of a node, or those without a node for {@code null}. */
    BitSet slots(@Nullable ClusterNode node) {
        BitSet slots = new BitSet(Slots.COUNT);
        for (int slot = 0; slot < nodes.length; slot++) {
            if (nodes[slot] == node) {
                slots.set(slot);
            }
        }
        return slots;
    }

    /** Returns the slots that have another node than before. */
    BitSet movedSince(Topology before) {
        BitSet moved = new BitSet(Slots.COUNT);
        for (int slot = 0; slot < nodes.length; slot++) {
            if (nodes[slot] != before.nodes[slot]) {
                moved.set(slot);
            }
        }
        return moved;
    }
}
