// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.ClientClosedException;
import io.boltwork.LockKind;
import io.boltwork.engine.client.RoomyLock;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One shared lock in one client: its lanes, and the ways of messages and callers to them. Thread-safe. */
public abstract class LanePool {

    final LockKind kind;
    final String name;
    final Lanes machines;

    /** Guards the fields of the pool. No lane is called while it is held. */
    final ReentrantLock guard = new RoomyLock();

    /** The lanes of the requests that are not over, by their numbers. */
    private final ConcurrentHashMap<Long, String> byRequest = new ConcurrentHashMap<>();

    LanePool(LockKind kind, String name, Lanes machines) {
        this.kind = kind;
        this.name = name;
        this.machines = machines;
    }

    final String key(long lane) {
        return LaneKey.of(kind, name, lane);
    }

    final ClientClosedException closed() {
        return new ClientClosedException("The lock '" + name + "' cannot be acquired: its client is closed");
    }

    // ================================================================ lanes

    /** Adds a new lane. Returns {@code false} if the pool is no longer in use. */
    abstract boolean joined(String lane);

    /** Removes a lane that is no longer in use. */
    abstract void left(String lane);

    /** Updates the use of a lane after each of its events. */
    abstract void settled(String lane, LockMachine machine);

    /** Lets the requests of the other lanes ask again, because the server has forgotten one of this lane. */
    abstract void forgotten(String lane);

    // ================================================================ what lanes ask

    /** Returns a part of the lock with the capacity that is known. */
    abstract Share share(int permits);

    /** Applies the server's answer about a part. */
    void heard(Reply.Acquired answer) {}

    /** Returns the caller that is served by a grant to a waiter; {@code null} if there is none any more. */
    @Nullable
    Waiter served(Waiter asked) {
        return asked;
    }

    /** Returns a waiter for a lane whose hold is released; {@code null} if there is none. */
    @Nullable
    Waiter next(String lane) {
        return null;
    }

    /** Removes and returns the first caller that waits outside of the lanes; {@code null} if there is none. */
    @Nullable
    Waiter poll() {
        return null;
    }

    /** Adds the hold of a reader. */
    void reads(Hold reader) {}

    /** Called when an owner has left its hold. */
    void leaves(Hold hold) {}

    /** Sends a reader to another lane than that one. */
    void elsewhere(Waiter reader, String lane) {
        throw new IllegalStateException(this + " has no readers");
    }

    /** Returns the number of callers that wait outside of the lanes, less that of their stand-ins in lanes. */
    public final int waiting() {
        guard.lock();
        try {
            return callersOutside();
        } finally {
            guard.unlock();
        }
    }

    /** Returns that number. Called while the guard is held. */
    int callersOutside() {
        return 0;
    }

    // ================================================================ requests and messages

    /** Returns the lanes with requests that are not over. */
    public final Set<String> lanesInUse() {
        return Set.copyOf(byRequest.values());
    }

    final void register(long request, String lane) {
        byRequest.put(request, lane);
    }

    final void unregister(long request) {
        byRequest.remove(request);
    }

    /** Passes a grant on to the lane of its request. */
    public final void granted(Grant grant, long request) {
        String lane = byRequest.get(request);
        String key = lane == null ? key(0) : lane; // lane 0 withdraws a request that is over
        machines.post(key, machine -> machine.granted(grant));
    }

    /** Passes the message of a forced release on to the lane of its request. */
    public final void taken(HoldTaken taken, long request) {
        String lane = byRequest.get(request);
        if (lane != null) {
            machines.postIfInUse(lane, machine -> machine.taken(taken));
        }
    }

    /** Lets requests for more than the reduced capacity ask again. */
    public void shrunk(int capacity) {}

    /** Tells the lanes with requests that this client has force-released the lock. */
    final void forced(long expectedToken, Reply.Forced forced) {
        lanesInUse().forEach(lane -> machines.postIfInUse(lane, machine -> machine.forced(expectedToken, forced)));
    }

    // ================================================================ after an error

    /** Mends what an error has left half done. Called after the error, and again after the command timeout. */
    void mend() {}

    // ================================================================ the end

    /** Dismisses all callers that wait outside of the lanes. */
    final void close() {
        for (Waiter waiter; (waiter = poll()) != null; ) {
            waiter.outcome.decide(new Waiter.Failed(closed()));
        }
    }

    @Override
    public String toString() {
        return Printable.text(kind + " '" + name + "'");
    }
}
