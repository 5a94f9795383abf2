package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.machine.Waiter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The shared locks in use of one client, by kind and name. Thread-safe. */
final class SharePools {

    private final Lanes machines;
    private final Map<LockKind, ConcurrentHashMap<String, SharePool>> pools = new EnumMap<>(LockKind.class);

    SharePools(Lanes machines) {
        this.machines = machines;
        for (LockKind kind : LockKind.values()) {
            pools.put(kind, new ConcurrentHashMap<>());
        }
    }

    private ConcurrentHashMap<String, SharePool> ofKind(LockKind kind) {
        return Objects.requireNonNull(pools.get(kind));
    }

    /** Returns the pool of a lock. */
    SharePool of(LockKind kind, String name) {
        SharePool known = ofKind(kind).get(name);
        return known != null ? known : ofKind(kind).computeIfAbsent(name, n -> new SharePool(kind, n, machines));
    }

    /** Lets a waiter wait for a part of a lock. */
    void request(LockKind kind, String name, int permits, Waiter waiter) {
        SharePool pool;
        do {
            pool = of(kind, name);
            pool.configure(permits);
        } while (!pool.request(waiter));
    }

    /** Returns the pool of a lane that has been made. */
    SharePool join(String key) {
        SharePool pool;
        do {
            pool = of(LaneKey.kindOf(key), LaneKey.nameOf(key));
        } while (!pool.joined(key));
        return pool;
    }

    /** Forgets a pool that is no longer in use. */
    void forget(LockKind kind, String name, SharePool pool) {
        ofKind(kind).remove(name, pool);
    }

    /** Returns the pool of a lock if it is in use; otherwise {@code null}. */
    @Nullable
    SharePool find(LockKind kind, String name) {
        return ofKind(kind).get(name);
    }

    /** Dismisses all callers that wait for a lane, because the client is being closed. */
    void close() {
        pools.values().forEach(some -> some.values().forEach(SharePool::close));
    }
}
