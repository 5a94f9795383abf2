// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.Printable;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The master of each slot, as one node reports it at one time ({@code CLUSTER SLOTS}). Immutable. */
final class SlotMap {
    private final @Nullable NodeAddress[] masters;
    private final Set<NodeAddress> distinct;
    private final long epoch;

    private SlotMap(@Nullable NodeAddress[] masters, long epoch) {
        this.masters = masters;
        this.epoch = epoch;
        Set<NodeAddress> all = new LinkedHashSet<>();
        for (NodeAddress master : masters) {
            if (master != null) {
                all.add(master);
            }
        }
        this.distinct = Collections.unmodifiableSet(all);
    }

    /** Returns a map in which no master has a slot. */
    static SlotMap empty(long epoch) {
        return new SlotMap(new @Nullable NodeAddress[Slots.COUNT], epoch);
    }

    /**
     * Reads the reply to {@code CLUSTER SLOTS}.
     *
     * @param reply ranges, each with its first and last slot, its master and its replicas; texts as bytes or strings
     * @param asked the node that replied; its host is used for nodes without one
     * @param epoch the number of the reading
     * @throws IllegalArgumentException if the reply has another form
     */
    static SlotMap parse(List<?> reply, NodeAddress asked, long epoch) {
        @Nullable NodeAddress[] masters = new @Nullable NodeAddress[Slots.COUNT];
        try {
            for (Object each : reply) {
                List<?> range = (List<?>) Objects.requireNonNull(each);
                int first = number(range.get(0));
                int last = number(range.get(1));
                if (range.size() > 2) {
                    Arrays.fill(masters, first, last + 1, master((List<?>) range.get(2), asked));
                }
            }
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("Not a reply to CLUSTER SLOTS: " + Printable.text(e.toString()), e);
        }
        return new SlotMap(masters, epoch);
    }

    private static int number(Object part) {
        return Math.toIntExact((Long) part);
    }

    /** Returns the address of a master. Redis 7 adds other names in a list of names and values. */
    private static NodeAddress master(List<?> node, NodeAddress asked) {
        String host = NodeAddress.text(node.get(0));
        if ("?".equals(host) && node.size() > 3 && node.get(3) instanceof List<?> others) {
            for (int i = 0; i + 1 < others.size(); i += 2) {
                if ("ip".equals(NodeAddress.text(others.get(i)))) {
                    host = NodeAddress.text(others.get(i + 1)); // the node has no hostname, which clients should use
                }
            }
        }
        return NodeAddress.of(host, number(node.get(1)), asked);
    }

    /** Returns the master of a slot, or {@code null} if there is none. */
    @Nullable
    NodeAddress master(int slot) {
        return masters[slot];
    }

    /** Returns all masters that have slots, in the order of their first slots. */
    Set<NodeAddress> masters() {
        return distinct;
    }

    /** Returns the number of the reading. */
    long epoch() {
        return epoch;
    }

    /** Returns the same map with another master of one slot, such as after {@code MOVED}. */
    SlotMap with(int slot, NodeAddress master) {
        @Nullable NodeAddress[] changed = masters.clone();
        changed[slot] = master;
        return new SlotMap(changed, epoch);
    }

    boolean isCovered() {
        return !Arrays.asList(masters).contains(null);
    }

    /** Returns the slots without a master, such as {@code 0-99, 4000}, or an empty text. */
    String uncovered() {
        StringJoiner ranges = new StringJoiner(", ");
        for (int first = 0; first < masters.length; first++) {
            if (masters[first] == null) {
                int last = first;
                while (last + 1 < masters.length && masters[last + 1] == null) {
                    last++;
                }
                ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
                first = last;
            }
        }
        return ranges.toString();
    }

    /** Returns whether the same masters have the same slots. */
    boolean isSameAs(SlotMap other) {
        return Arrays.equals(masters, other.masters);
    }

    @Override
    public String toString() {
        return "SlotMap " + epoch + " of " + distinct + (isCovered() ? "" : " without " + uncovered());
    }
}
