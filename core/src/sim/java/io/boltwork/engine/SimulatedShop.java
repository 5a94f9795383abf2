// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockException;
import io.boltwork.engine.locks.EngineLock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;

/**
 * The goods that threads of all clients wait for under their locks: a number of things for each condition. A thread
 * takes a thing or waits for one. A thread that adds a thing signals. So no thread may wait for ever while there is
 * something to take.
 */
final class SimulatedShop {

    /** A condition of a lock. */
    record Shelf(String lock, String condition) {}

    private final Map<Shelf, Integer> things = new HashMap<>();

    /** The threads that wait for a condition, by their names. */
    private final Map<String, Shelf> waiting = new HashMap<>();

    private boolean closed;

    /** Returns the shelf of an act: one of two for each lock. */
    static Shelf of(Plan.Act act) {
        return new Shelf(act.lock(), act.patience() % 2 == 0 ? "even" : "odd");
    }

    void put(Shelf shelf) {
        things.merge(shelf, 1, Integer::sum);
    }

    /** Takes something, or finds the shop closed. Returns whether the thread need not wait. */
    boolean take(Shelf shelf) {
        int left = things.getOrDefault(shelf, 0);
        if (left > 0) {
            things.put(shelf, left - 1);
        }
        return left > 0 || closed;
    }

    void waits(String thread, Shelf shelf) {
        waiting.put(thread, shelf);
    }

    void goesOn(String thread) {
        waiting.remove(thread);
    }

    /** Returns the threads that wait although there is something to take, and what they wait for. */
    Map<String, Shelf> waitInVain() {
        Map<String, Shelf> vain = new HashMap<>(waiting);
        vain.values().removeIf(shelf -> things.getOrDefault(shelf, 0) == 0);
        return vain;
    }

    /** Lets all threads leave: a thread of that client wakes those that wait under a lock. */
    void close(SimulatedClient client, Plan plan, String lock) {
        closed = true;
        EngineLock last =
                new EngineLock(client.engine, lock, plan.options().findFirst().orElseThrow());
        SimulatedThread thread = client.thread(client.id + " closes " + lock, () -> wakeAll(last));
        client.happens(thread::run);
    }

    private static void wakeAll(EngineLock lock) {
        try {
            lock.lock();
            try {
                for (String name : new String[] {"even", "odd"}) {
                    Condition condition = lock.condition(name);
                    condition.signalAll();
                }
            } finally {
                lock.unlock();
            }
        } catch (LockException lost) {
            wakeAll(lock);
        }
    }
}
