// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import io.boltwork.machine.parts.Releasing;
import io.boltwork.machine.parts.Retaining;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockState;

/**
 * Gives a retained lease to the next waiter of this client, or back. Part of a {@link LockMachine}; see
 * {@link Retaining}.
 */
final class Taking {

    private Taking() {}

    /**
     * Gives the retained lease back if it is wanted or unused; otherwise gives it to the first waiter, if there is one.
     */
    static void serve(LockState lock) {
        for (Request request; (request = lock.retained()) != null; ) {
            long now = lock.effects.now();
            if (Retaining.isOver(lock, now)) {
                Releasing.giveBack(lock);
            } else if (lock.waiters.isEmpty()) {
                return;
            } else {
                serve(lock, request, now);
            }
        }
    }

    /** Gives the lease to the first waiter. If that may not be, releases it and asks for the lock anew. */
    private static void serve(LockState lock, Request request, long now) {
        Waiter next = lock.waiters.first();
        if (next == null
                || lock.waiters.hasOwnRequests()
                || !request.terms.equals(next.terms)
                || !Retaining.mayFollow(lock, request, now)) {
            Releasing.giveBack(lock);
            return;
        }
        lock.retention().taken();
        request.lastToken++;
        Waiting.occupy(lock, request, next, now);
    }
}
