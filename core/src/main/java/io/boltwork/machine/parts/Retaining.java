// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Slice;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.Retention;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.rules.ServerClock;
import java.util.concurrent.TimeUnit;

/**
 * HELD without an owner here: keeps the lease of a released lock for the next owner of this client, until another
 * client wants the lock or none of this client has used it for a time. Part of a {@link LockMachine}.
 */
public final class Retaining {

    /*
     * A retained request is HELD, is not the request of a hold, and is renewed like others. The machine handles one
     * event after another, so nothing takes the lease after its release was sent.
     *
     *   retained -> HELD with an owner    a waiter comes, and the lease is sound, long enough, and has a token left
     *   retained -> RELEASING             a waiter comes, and the lease is not; the lock is wanted, or was not used for
     *                                     long
     *   retained -> RELEASING             the lease is lost or forgotten: nothing is restored that no owner here uses
     *
     * A message that the lock is wanted names the hold by its first token, because it may be late, or arrive before the
     * hold begins. The largest one is kept: holds up to it are wanted back, later ones are not meant.
     */

    private static final long MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

    private Retaining() {}

    /** Keeps the lease of a hold that its owner has left. Returns whether it is kept. */
    static boolean keep(LockState lock, Request request) {
        boolean isKept = mayKeep(lock, request) && lock.waiters.isEmpty() && lock.wanted == null && !lock.hasSignals();
        if (isKept) {
            Retention retention = lock.retention();
            retention.request = request;
            retention.since = lock.lastEvent;
            lock.effects.retains();
        }
        return isKept;
    }

    /** Returns whether a lease that is not wanted back may go to one more owner here, however long it has been held. */
    public static boolean mayFollow(LockState lock, Request request, long now) {
        return mayKeep(lock, request)
                && Slice.allowsAnother(request, now)
                && request.deadline() - now >= request.leaseNanos() / 2
                && isReached(request.lastToken + 1, lock.effects.serverClock(), now);
    }

    /**
     * A hold whose restore is under way is not kept: it may exist again at the server after it was given up here.
     * Neither is one whose owner has extended the lease, which could stay for long after the end of this client.
     */
    private static boolean mayKeep(LockState lock, Request request) {
        Retention retention = lock.retention;
        return RequestId.isRetained(request.number)
                && !lock.closed
                && request.state == Request.State.HELD
                && !request.extended
                && (retention == null || request.firstToken > retention.wantedUpTo)
                && !RenewalClock.isAwaited(request);
    }

    /**
     * Returns whether the server's clock has reached a token, to the millisecond. Tokens that ran ahead of the clock
     * could be above those of a later hold after the server has lost its data.
     */
    private static boolean isReached(long token, ServerClock clock, long now) {
        return token / MICROS_PER_MILLI <= clock.millisAt(now);
    }

    /** Ends the retention of the hold with that first token, because others want the lock. */
    public static void wanted(LockState lock, Request request, long token) {
        lock.retention().wanted(token, request.terms.retentionNanos, lock.lastEvent);
    }

    /** Returns whether the retained lease must be given back: it is wanted, or was not used for long. */
    public static boolean isOver(LockState lock, long now) {
        Retention retention = lock.retention;
        Request request = lock.retained();
        return retention != null
                && request != null
                && (request.firstToken <= retention.wantedUpTo || now >= retention.wakeAt(now));
    }
}
