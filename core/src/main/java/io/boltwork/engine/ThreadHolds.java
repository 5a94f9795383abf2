// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.machine.Hold;
import io.boltwork.machine.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The locks that the threads of one client hold. Thread-safe. */
final class ThreadHolds {

    /**
     * A hold that keeps a caller waiting.
     *
     * @param isCertain whether only its thread can end the wait
     */
    record Blocker(Hold hold, boolean isCertain) {}

    private final LockDrivers drivers;

    ThreadHolds(LockDrivers drivers) {
        this.drivers = drivers;
    }

    /** Returns whether a hold has neither ended nor been lost. */
    static boolean isInForce(Hold hold) {
        return !hold.isOver() && (hold.isValid() || hold.isUnverified());
    }

    /** Returns the holds of threads of this client that keep a caller waiting. There are none for a semaphore. */
    List<Blocker> blockersOf(String key, boolean asReader) {
        List<Blocker> found = new ArrayList<>();
        LockKind kind = LaneKey.kindOf(key);
        if (kind == LockKind.SEMAPHORE) {
            return found;
        }
        LockDriver driver = drivers.driver(LaneKey.home(key));
        Hold held = driver == null ? null : driver.machine.hold();
        boolean isExclusive = held != null && !held.isReader();
        if (held != null && isExclusive) {
            add(found, held, true);
        }
        if (kind == LockKind.READ_WRITE && !(asReader && isExclusive)) {
            for (Hold reader : drivers.pools.readers(LaneKey.nameOf(key))) {
                add(found, reader, !asReader); // a reader waits for readers only behind a writer, which may give up
            }
        }
        return found;
    }

    /** Returns whether this client is known to hold a plain lock, or to write, by a thread or a handle. */
    boolean isHeldHere(String key) {
        LockDriver driver = drivers.driver(LaneKey.home(key));
        return driver != null && driver.machine.hold() != null;
    }

    private static void add(List<Blocker> found, Hold hold, boolean isCertain) {
        if (hold.thread != null && isInForce(hold)) {
            found.add(new Blocker(hold, isCertain && endsByItsThreadOnly(hold)));
        }
    }

    /** Returns whether neither a time nor another thread can end a hold. Any thread can release a lease. */
    static boolean endsByItsThreadOnly(Hold hold) {
        return hold.locks() > 0 && hold.request.terms.isRenewed && hold.request.terms.maxHoldNanos == Ticker.NEVER;
    }

    /** Returns what some threads hold. Looks at all locks in use. */
    Map<Thread, List<Hold>> heldBy(Set<Thread> threads) {
        Map<Thread, List<Hold>> found = new HashMap<>();
        for (LockDriver driver : drivers.all()) {
            Hold held = driver.machine.hold();
            if (held != null) {
                add(found, held, threads);
            }
        }
        for (String name : drivers.pools.readWriteNames()) {
            drivers.pools.readers(name).forEach(reader -> add(found, reader, threads));
        }
        return found;
    }

    private static void add(Map<Thread, List<Hold>> found, Hold hold, Set<Thread> threads) {
        if (hold.thread != null && threads.contains(hold.thread) && isInForce(hold)) {
            found.computeIfAbsent(hold.thread, thread -> new ArrayList<>()).add(hold);
        }
    }
}
