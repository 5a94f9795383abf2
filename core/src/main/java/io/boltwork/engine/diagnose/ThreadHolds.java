// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockKind;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.machine.kind.ReadWrite;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The locks that the threads, the bodies and the other owners of one client hold. Thread-safe. */
public final class ThreadHolds {

    /**
     * A hold that keeps a caller waiting.
     *
     * @param isCertain whether only its thread or its body can end the wait
     */
    record Blocker(Hold hold, boolean isCertain) {}

    private final LockDrivers drivers;

    ThreadHolds(LockDrivers drivers) {
        this.drivers = drivers;
    }

    /** Returns whether a hold has neither ended nor been lost. */
    public static boolean isInForce(Hold hold) {
        return !hold.isOver() && (hold.isValid() || hold.isUnverified());
    }

    /**
     * Returns the holds of this client that keep a caller waiting. For a semaphore, these are the holds of the bodies
     * that the caller is in, if the permits of all other holders are not enough.
     */
    List<Blocker> blockersOf(Wait wait) {
        List<Blocker> found = new ArrayList<>();
        LockKind kind = wait.kind();
        if (kind == LockKind.SEMAPHORE) {
            addPermits(found, wait);
            return found;
        }
        boolean asReader = wait.isReader();
        Hold held = drivers.hold(wait.key);
        boolean isExclusive = held != null && !held.isReader();
        if (held != null && isExclusive) {
            add(found, held, true);
        }
        if (kind == LockKind.READ_WRITE && !(asReader && isExclusive)) {
            for (Hold reader : readersOf(drivers.driver(wait.key))) {
                add(found, reader, !asReader); // a reader waits for readers only behind a writer, which may give up
            }
            for (Hold reader : ofItsBodies(wait)) {
                if (reader.isReader()) {
                    add(found, reader, !asReader);
                }
            }
        }
        return found;
    }

    /** Returns whether this client is known to hold a plain lock, or to write, by a thread or a handle. */
    boolean isHeldHere(Object key) {
        return drivers.hold(key) != null;
    }

    /** Returns the holds of the owners that read a lock; some of them may have ended. */
    private static Collection<Hold> readersOf(@Nullable LockDriver driver) {
        return driver != null && driver.machine.kind instanceof ReadWrite shared ? shared.readers() : List.of();
    }

    private void addPermits(List<Blocker> found, Wait wait) {
        List<Hold> own = ofItsBodies(wait);
        int held = own.stream().mapToInt(hold -> hold.request.terms.permits).sum();
        LockDriver driver = drivers.driver(wait.key);
        int capacity = driver == null ? 0 : driver.machine.kind.share(1).of();
        if (capacity > 0 && held + wait.waiter.terms.permits > capacity) {
            own.forEach(hold -> add(found, hold, true));
        }
    }

    /** Returns the handles' holds of the same lock under which the bodies run that a caller is in. */
    private List<Hold> ofItsBodies(Wait wait) {
        if (wait.scope == null) {
            return List.of();
        }
        return wait.scope.holds().stream()
                .filter(Hold.class::isInstance)
                .map(Hold.class::cast)
                .filter(hold -> hold.owner == null && drivers.owns(hold) && wait.key.equals(hold.request.context.key()))
                .toList();
    }

    private static void add(List<Blocker> found, Hold hold, boolean isCertain) {
        if (isInForce(hold)) {
            boolean endsByItself = hold.thread() == null ? endsByTime(hold) : !endsByItsThreadOnly(hold);
            found.add(new Blocker(hold, isCertain && !endsByItself));
        }
    }

    private static boolean endsByTime(Hold hold) {
        return !hold.request.terms.isRenewed || hold.request.terms.maxHoldNanos != Ticker.NEVER;
    }

    /** Returns whether neither a time nor another thread can end a hold. Any can release a lease, or for an owner. */
    static boolean endsByItsThreadOnly(Hold hold) {
        return hold.thread() != null && hold.locks() > 0 && !endsByTime(hold);
    }

    /** Returns what some owners hold. Looks at all locks in use. */
    Map<Object, List<Hold>> heldBy(Set<Object> owners) {
        Map<Object, List<Hold>> found = new HashMap<>();
        for (LockDriver driver : drivers.all()) {
            Hold held = driver.machine.hold();
            if (held != null) {
                add(found, held, owners);
            }
            readersOf(driver).forEach(reader -> add(found, reader, owners));
        }
        return found;
    }

    private static void add(Map<Object, List<Hold>> found, Hold hold, Set<Object> owners) {
        if (hold.owner != null && owners.contains(hold.owner) && isInForce(hold)) {
            found.computeIfAbsent(hold.owner, owner -> new ArrayList<>()).add(hold);
        }
    }
}
