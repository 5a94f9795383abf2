// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as one of its nodes sees it ({@code CLUSTER NODES}).
 *
 * @param nodes all nodes that it knows
 */
record ClusterView(List<Node> nodes) {

    /**
     * A node.
     *
     * @param id its permanent id
     * @param address host, port and bus port
     * @param flags its flags
     * @param master the id of its master, {@code -} if it is not a replica
     * @param epoch its configuration epoch; of two nodes that claim a slot, the one with the larger epoch has it
     * @param slots its slots
     */
    record Node(String id, String address, List<String> flags, String master, long epoch, BitSet slots) {
        private static Node parse(String line) {
            String[] fields = line.split(" ");
            BitSet slots = new BitSet(ClusterGroup.SLOTS);
            Arrays.stream(fields)
                    .skip(8)
                    .filter(range -> !range.startsWith("[")) // moving
                    .map(range -> range.split("-"))
                    .forEach(range ->
                            slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1));
            return new Node(
                    fields[0], fields[1], List.of(fields[2].split(",")), fields[3], Long.parseLong(fields[6]), slots);
        }

        boolean is(String flag) {
            return flags.contains(flag);
        }
    }

    /** A node's claim on slots. It ends all claims on these slots with a smaller epoch. */
    private record Claim(String id, long epoch, BitSet slots) {}

    /** Returns the view of a node, or {@code null} if the node does not answer. */
    static @Nullable ClusterView orNull(RedisServer node) {
        try {
            return of(node);
        } catch (UncheckedIOException | RedisErrorException e) { // just killed, or loading
            return null;
        }
    }

    static ClusterView of(RedisServer node) {
        return parse(String.valueOf(Objects.requireNonNull(node.command("CLUSTER", "NODES"))));
    }

    static ClusterView parse(String nodes) {
        return new ClusterView(nodes.lines().map(Node::parse).toList());
    }

    /** Returns the node that was asked. */
    Node myself() {
        return nodes.stream().filter(node -> node.is("myself")).findFirst().orElseThrow();
    }

    /**
     * Returns whether all nodes agree on the slots and epochs of all masters, and no two epochs are equal. A master
     * that gets a slot takes an epoch that is larger than all epochs that it knows. If it does not know the epoch of
     * the old master yet, the other nodes do not accept its claim, and in the end the two masters redirect all clients
     * of the slot to each other.
     */
    static boolean agree(List<ClusterView> views) {
        Set<Set<Claim>> claims = views.stream().map(ClusterView::claims).collect(Collectors.toSet());
        return claims.size() == 1
                && claims.iterator().next().stream().map(Claim::epoch).allMatch(new HashSet<>()::add);
    }

    private Set<Claim> claims() {
        return nodes.stream()
                .filter(node -> !node.slots.isEmpty())
                .map(node -> new Claim(node.id, node.epoch, node.slots))
                .collect(Collectors.toSet());
    }

    boolean hasOwner(int slot) {
        return nodes.stream().anyMatch(node -> node.slots.get(slot));
    }

    /**
     * Returns the nodes that consider themselves masters, each with the slots that no node with a larger epoch claims.
     * Omits nodes without slots.
     */
    static List<Node> masters(List<ClusterView> views) {
        BitSet taken = new BitSet(ClusterGroup.SLOTS);
        List<Node> masters = new ArrayList<>();
        views.stream()
                .map(ClusterView::myself)
                .filter(node -> node.is("master"))
                .sorted(Comparator.comparingLong(Node::epoch).reversed())
                .forEach(node -> {
                    node.slots.andNot(taken);
                    taken.or(node.slots);
                    if (!node.slots.isEmpty()) {
                        masters.add(node);
                    }
                });
        return masters;
    }

    /** Returns whether the node knows that many nodes and has met all of them. */
    boolean isComplete(int size) {
        return nodes.size() == size && nodes.stream().noneMatch(node -> node.is("handshake"));
    }

    /** Returns whether a node reports the cluster as ok, and is in sync with its master if it is a replica. */
    static boolean isWell(RedisServer node) {
        String link = ReplicaGroup.field(node, "master_link_status");
        return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok")
                && (link == null || link.equals("up"));
    }

    /** Returns the master of a replica, as the replica sees it. */
    static Node masterOf(RedisServer replica) {
        ClusterView view = ClusterView.of(replica);
        return view.nodes().stream()
                .filter(node -> node.id().equals(view.myself().master()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("Not a replica: " + replica));
    }
}
