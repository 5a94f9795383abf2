package io.boltwork.testkit;

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
 * The cluster in the eyes of one of its nodes ({@code CLUSTER NODES}).
 *
 * @param nodes all that it knows
 */
record ClusterView(List<Node> nodes) {

    /**
     * A node.
     *
     * @param id its name for ever
     * @param address host, port and bus port
     * @param flags what is known of it
     * @param master whose replica it is, {@code -} if it is none
     * @param epoch of two nodes that claim a slot, the one with the larger epoch has it
     * @param slots those it has
     */
    record Node(String id, String address, List<String> flags, String master, long epoch, BitSet slots) {
        private static Node parse(String line) {
            String[] fields = line.split(" ");
            BitSet slots = new BitSet(ClusterGroup.SLOTS);
            Arrays.stream(fields)
                    .skip(8)
                    .filter(range -> !range.startsWith("[")) // on the way
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

    /** That a node has slots; whoever has them with a smaller epoch has them no more. */
    private record Claim(String id, long epoch, BitSet slots) {}

    /** What a node says, {@code null} if it is not there. */
    static @Nullable ClusterView orNull(RedisServer node) {
        try {
            return of(node);
        } catch (UncheckedIOException | RedisErrorException e) { // killed just now, or loading
            return null;
        }
    }

    static ClusterView of(RedisServer node) {
        return parse(String.valueOf(Objects.requireNonNull(node.command("CLUSTER", "NODES"))));
    }

    static ClusterView parse(String nodes) {
        return new ClusterView(nodes.lines().map(Node::parse).toList());
    }

    /** The node that was asked. */
    Node myself() {
        return nodes.stream().filter(node -> node.is("myself")).findFirst().orElseThrow();
    }

    /**
     * Whether all know who has which slots, and with which epochs, each its own: a master that gets a slot takes a larger epoch
     * only than it knows, so if it does not know the old master's yet, nobody believes it, and in the end the two send all who ask
     * for the slot to each other.
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

    /** Who are masters by their own words, each with the slots that nobody with a larger epoch claims; no one without any. */
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

    /** Whether it knows so many and has met all of them. */
    boolean isComplete(int size) {
        return nodes.size() == size && nodes.stream().noneMatch(node -> node.is("handshake"));
    }
}
