// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.Lease;
import io.boltwork.LockOwner;
import io.boltwork.spi.BodyScope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock under which a thread executes code.
 *
 * @param target the lock
 * @param lease the handle; {@code null} if this thread owns the hold
 * @param outer the lock around this one
 */
public record EnteredLock(
        LockTarget target, @Nullable Lease lease, @Nullable EnteredLock outer) {
    private static final ThreadLocal<@Nullable EnteredLock> INNERMOST = new ThreadLocal<>();

    /** Returns the innermost lock of this thread; {@code null} if it executes no code under a lock. */
    public static @Nullable EnteredLock innermost() {
        return INNERMOST.get();
    }

    /** Makes a hold the innermost one of this thread, and returns the previous innermost hold. */
    public static @Nullable EnteredLock enter(LockTarget target, @Nullable Lease lease) {
        EnteredLock outer = INNERMOST.get();
        INNERMOST.set(new EnteredLock(target, lease, outer));
        return outer;
    }

    /** Restores {@code outer} as the innermost hold of this thread. */
    public static void leave(@Nullable EnteredLock outer) {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Returns the owner for which this thread executes code under locks; {@code null} if there is none. */
    public static @Nullable LockOwner owner() {
        EnteredLock hold = INNERMOST.get();
        while (hold != null && hold.target().owner() == null) {
            hold = hold.outer();
        }
        return hold == null ? null : hold.target().owner();
    }

    /** Returns the scope in which this thread executes code under leases; {@code null} if it executes none. */
    public static @Nullable BodyScope scope() {
        List<Lease> leases = new ArrayList<>();
        for (EnteredLock hold = INNERMOST.get(); hold != null; hold = hold.outer()) {
            Lease lease = hold.current();
            if (lease != null) {
                leases.add(lease);
            }
        }
        BodyScope called = BodyScope.current();
        return leases.isEmpty() ? called : BodyScope.of(leases, called);
    }

    /** Returns the lease of the hold, or a view of the thread's hold. */
    public @Nullable Lease current() {
        return lease != null ? lease : target.currentLease();
    }
}
