// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.OwnerRef;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockState;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an owner that is not a thread, which may come at the same time. Once one of them is granted the lock,
 * the others are granted the same hold. They are not its takers, so they look at it, and enter it as a nested call
 * does. Part of a {@link LockMachine}.
 */
public final class Owners {

    private Owners() {}

    /** Decides a waiter that comes, if its owner has the lock. Returns whether it is decided. */
    static boolean serves(LockState lock, Waiter waiter) {
        Hold held = waiter.owner instanceof OwnerRef owner ? holdOf(lock, owner, waiter) : null;
        if (held == null || held.mayBeFollowedBy(waiter.terms, waiter.tryOnly)) {
            return false;
        }
        Waiting.decide(lock, waiter, new Waiter.Granted(held));
        return true;
    }

    /** Decides the other waiters of an owner whose hold has begun, as far as they can enter it. */
    public static void begun(LockState lock, Hold begun) {
        if (begun.owner instanceof OwnerRef owner && lock.waiters.hasAnyOf(owner)) {
            for (Waiter waiter : lock.waiters.all(waiter -> waiter.owner != null && owner.equals(waiter.owner))) {
                Hold held = holdOf(lock, owner, waiter);
                if (held != null) {
                    Waiting.serve(lock, waiter, held);
                }
            }
        }
    }

    /** Returns the owner's hold that a waiter wants; {@code null} if there is none, or it waits for a signal. */
    private static @Nullable Hold holdOf(LockState lock, OwnerRef owner, Waiter waiter) {
        return waiter.signalWait == null ? lock.kind.holdOf(lock, owner, waiter.terms) : null;
    }
}
