// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Reply;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The shared locks in use of one client, by kind and name. Thread-safe. */
public final class LanePools {

    private final Lanes machines;
    private final Map<LockKind, ConcurrentHashMap<String, LanePool>> pools = new EnumMap<>(LockKind.class);

    LanePools(Lanes machines) {
        this.machines = machines;
        pools.put(LockKind.READ_WRITE, new ConcurrentHashMap<>());
        pools.put(LockKind.SEMAPHORE, new ConcurrentHashMap<>());
    }

    private ConcurrentHashMap<String, LanePool> ofKind(LockKind kind) {
        return Objects.requireNonNull(pools.get(kind));
    }

    /** Returns the pool of a lock. */
    public LanePool of(LockKind kind, String name) {
        LanePool known = ofKind(kind).get(name);
        return known != null ? known : ofKind(kind).computeIfAbsent(name, fresh -> create(kind, fresh));
    }

    private LanePool create(LockKind kind, String name) {
        return kind == LockKind.SEMAPHORE ? new SemaphorePool(name, machines) : new ReadWritePool(name, machines);
    }

    public SemaphorePool semaphore(String name) {
        return (SemaphorePool) of(LockKind.SEMAPHORE, name);
    }

    public ReadWritePool readWrite(String name) {
        return (ReadWritePool) of(LockKind.READ_WRITE, name);
    }

    /** Lets a waiter wait for permits of a semaphore. */
    public void request(String name, int permits, Waiter waiter) {
        SemaphorePool pool;
        do {
            pool = semaphore(name);
            pool.configure(permits);
        } while (!pool.request(waiter));
    }

    /** Applies the permits that this client has set for a semaphore. */
    public void resized(String name, Reply.Resized resized) {
        // a semaphore that is not in use learns of the permits when it is; but a grant must be looked after
        LanePool pool = resized.claimMillis() == 0 ? find(LockKind.SEMAPHORE, name) : semaphore(name);
        if (pool != null) {
            ((SemaphorePool) pool).resized(resized);
        }
    }

    /** Returns the hold of any reader of this client; {@code null} if there is none. */
    @Nullable
    public Hold anyReader(String name) {
        LanePool pool = find(LockKind.READ_WRITE, name);
        return pool == null ? null : ((ReadWritePool) pool).anyReader();
    }

    /** Returns the hold of a reader: valid, or lost and not yet left; {@code null} if there is none. */
    @Nullable
    public Hold reader(String name, Thread thread) {
        LanePool pool = find(LockKind.READ_WRITE, name);
        return pool == null ? null : ((ReadWritePool) pool).readerOf(thread);
    }

    /** Returns the holds of the threads that read a lock; some of them may have ended. */
    public Collection<Hold> readers(String name) {
        LanePool pool = find(LockKind.READ_WRITE, name);
        return pool == null ? List.of() : ((ReadWritePool) pool).readers();
    }

    /** Returns the names of the read-write locks in use. */
    public Collection<String> readWriteNames() {
        return ofKind(LockKind.READ_WRITE).keySet();
    }

    /** Returns the pool of a lane that has been made. */
    LanePool join(String key) {
        LanePool pool;
        do {
            pool = of(LaneKey.kindOf(key), LaneKey.nameOf(key));
        } while (!pool.joined(key));
        return pool;
    }

    /** Forgets a pool that is no longer in use. */
    void forget(LanePool pool) {
        ofKind(pool.kind).remove(pool.name, pool);
    }

    /** Returns the pool of a lock if it is in use; otherwise {@code null}. */
    @Nullable
    public LanePool find(LockKind kind, String name) {
        return ofKind(kind).get(name);
    }

    /** Returns the number of callers that wait outside of lanes. */
    public int waiting() {
        int waiting = 0;
        for (ConcurrentHashMap<String, LanePool> some : pools.values()) {
            for (LanePool pool : some.values()) {
                waiting += Math.max(0, pool.waiting());
            }
        }
        return waiting;
    }

    /** Mends what an error has left half done. */
    public void mend() {
        pools.values().forEach(some -> some.values().forEach(LanePool::mend));
    }

    /** Dismisses all callers that wait for a lane, because the client is being closed. */
    void close() {
        pools.values().forEach(some -> some.values().forEach(LanePool::close));
    }
}
