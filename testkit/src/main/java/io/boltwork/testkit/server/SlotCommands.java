// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The commands that change which node of a Redis Cluster has a slot. They do not wait for other nodes. */
final class SlotCommands {

    private SlotCommands() {}

    /** Returns the id of a node. */
    static String id(RedisServer node) {
        return String.valueOf(Objects.requireNonNull(node.command("CLUSTER", "MYID")));
    }

    /** Sends a node a command for slots, such as {@code ADDSLOTS}. */
    static void send(RedisServer node, String name, IntStream slots) {
        List<String> command = new ArrayList<>(List.of("CLUSTER", name));
        slots.mapToObj(Integer::toString).forEach(command::add);
        node.command(command.toArray(String[]::new));
    }

    /** Starts to move a slot. */
    static void beginMove(int slot, RedisServer from, RedisServer to) {
        setSlot(to, slot, "IMPORTING", id(from));
        setSlot(from, slot, "MIGRATING", id(to));
    }

    /** Moves all existing keys of a slot that is moving. */
    static void moveKeys(int slot, RedisServer from, RedisServer to) {
        while (true) {
            List<?> keys = (List<?>)
                    Objects.requireNonNull(from.command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "100"));
            if (keys.isEmpty()) {
                return;
            }
            List<String> command = new ArrayList<>(List.of("MIGRATE", to.host(), Integer.toString(to.port())));
            command.addAll(List.of("", "0", "5000", "KEYS"));
            keys.forEach(key -> command.add((String) key));
            from.command(command.toArray(String[]::new));
        }
    }

    /** Tells the new master of a slot that it has the slot, and then tells all current masters. */
    static void give(int slot, RedisServer to, Supplier<List<RedisServer>> masters) {
        setSlot(to, slot, "NODE", id(to)); // first, so that the slot always has an owner
        for (RedisServer other : masters.get()) {
            if (other != to) {
                setSlot(other, slot, "NODE", id(to));
            }
        }
    }

    private static void setSlot(RedisServer node, int slot, String state, String other) {
        node.command("CLUSTER", "SETSLOT", Integer.toString(slot), state, other);
    }
}
