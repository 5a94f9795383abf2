// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.LockKind;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.ShareRecord;
import java.util.EnumMap;
import java.util.Map;

/** All data of one server. Locks of different kinds with one name have nothing to do with each other. */
final class ServerData {
    final Keys<LockRecord> locks = new Keys<>(LockRecord::new);
    final Keys<LatchRecord> latches = new Keys<>(LatchRecord::new);
    final ClientRecords clients = new ClientRecords();
    final WitnessedUptime uptime = new WitnessedUptime();
    private final Map<LockKind, Keys<ShareRecord>> shared = new EnumMap<>(LockKind.class);

    ServerData() {
        for (LockKind kind : LockKind.values()) {
            if (kind != LockKind.LOCK) {
                shared.put(kind, new Keys<>(ShareRecord::new));
            }
        }
    }

    /** Returns the locks of a kind that is shared. */
    Keys<ShareRecord> shared(LockKind kind) {
        Keys<ShareRecord> keys = shared.get(kind);
        if (keys == null) {
            throw new IllegalArgumentException(kind + " is not shared");
        }
        return keys;
    }

    /** Returns whether there are locks of a kind. */
    boolean has(LockKind kind) {
        return (kind == LockKind.LOCK ? locks : shared(kind)).size() > 0;
    }

    /** Returns a deep copy of these data. */
    ServerData copy() {
        ServerData copy = new ServerData();
        copy.become(this);
        return copy;
    }

    /** Replaces all data by copies of others. The lives of records do not change. */
    void become(ServerData others) {
        locks.become(others.locks);
        latches.become(others.latches);
        clients.become(others.clients);
        uptime.become(others.uptime);
        shared.forEach((kind, keys) -> keys.become(others.shared(kind)));
    }

    void clear() {
        locks.clear();
        latches.clear();
        clients.clear();
        uptime.clear();
        shared.values().forEach(Keys::clear);
    }

    /** Drops the locks of all kinds, and the latch, with that name. */
    void delete(String name) {
        locks.delete(name);
        latches.delete(name);
        shared.values().forEach(keys -> keys.delete(name));
    }

    /** Sets how long records live after their last use, from now on. */
    void live(long millis) {
        locks.live(millis);
        shared.values().forEach(keys -> keys.live(millis));
    }

    /** Returns how long records live after their last use, in milliseconds. */
    long idleMillis() {
        return locks.idleMillis();
    }
}
