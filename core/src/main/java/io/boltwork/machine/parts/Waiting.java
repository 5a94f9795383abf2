// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.LockException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Slice;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.Denied;
import io.boltwork.machine.state.LockEvents;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.SeldomUsed;
import io.boltwork.machine.state.Waiters;

/**
 * The waiters of this client, from their call until they are granted the lock, refused or cancelled. Part of a {@link
 * LockMachine}.
 */
public final class Waiting {

    private Waiting() {}

    // ================================================================ coming and going

    /** Lets a waiter enter, or decides it at once. Returns whether it has entered. */
    public static boolean enter(LockState lock, Waiter waiter) {
        waiter.since = afterDismissal(lock, lock.lastEvent);
        if (lock.closed) {
            decide(lock, waiter, new Waiter.Failed(lock.closed("cannot be acquired")));
            return false;
        }
        if (waiter.isCancelled) {
            if (!waiter.outcome.isDecided()) {
                decide(lock, waiter, Denied.CANCELLED);
            }
            return false;
        }
        if (Owners.serves(lock, waiter) || lock.kind.serves(lock, waiter)) {
            return false;
        }
        boolean taken = lock.kind.isTaken(lock, waiter);
        if (waiter.tryOnly && lock.kind.refuses(lock, waiter, taken)) {
            decide(lock, waiter, Denied.REFUSED);
            return false;
        }
        Hold held = lock.hold;
        if (held != null && held.isOfHandleOf(waiter.owner)) {
            LockEvents.waitsForItself(lock.effects, waiter);
        }
        if (lock.waiters.isEmpty()) {
            lock.outage = lock.outage.restarted();
        }
        if (taken) {
            lock.countUse();
        }
        waiter.refusalsBefore = taken ? lock.refusals - 1 : lock.refusals;
        if (lock.waiters.needsRequest(waiter)) {
            enterWithRequest(lock, waiter);
        } else {
            lock.waiters.add(waiter);
        }
        return true;
    }

    private static void enterWithRequest(LockState lock, Waiter waiter) {
        Waiters waiters = lock.waiters;
        Request request = lock.newRequest(waiter);
        request.waiter = waiter;
        waiter.request = request;
        waiters.add(waiter);
        Asking.ask(lock, request);
        Request oldest = waiters.oldest();
        if (lock.requests.isInLine(request) && oldest != null && oldest.known) {
            waiter.refusalsBefore = lock.refusals - 1; // the request will get no answer of its own for a while
        }
    }

    /** Cancels a waiter, unless it is decided. Returns whether this call has cancelled it. */
    public static boolean cancel(LockState lock, Waiter waiter, boolean timedOut) {
        if (waiter.signalWait != null && !waiter.forsaken) {
            Awaiting.stopAwaiting(lock, waiter, waiter.signalWait, timedOut); // the caller must get the lock back
            return true;
        }
        boolean polls = lock.waiters.oldest() == waiter.request && waiter.request != null;
        if (!remove(lock, waiter) && waiter.outcome.isDecided()) {
            return false; // but an undecided waiter is cancelled: an error has cut short its entry or its decision
        }
        decide(lock, waiter, timedOut ? timedOut(lock, waiter) : Denied.CANCELLED);
        withdraw(lock, waiter);
        othersPoll(lock, polls);
        return true;
    }

    /** Decides a waiter that a hold which is here serves. Withdraws its request. */
    static void serve(LockState lock, Waiter waiter, Hold held) {
        boolean polls = lock.waiters.oldest() == waiter.request && waiter.request != null;
        remove(lock, waiter);
        decide(lock, waiter, new Waiter.Granted(held));
        withdraw(lock, waiter);
        othersPoll(lock, polls);
    }

    private static void withdraw(LockState lock, Waiter waiter) {
        if (waiter.request != null) {
            Awaiting.fails(waiter.request, waiter);
            Withdrawing.withdraw(lock, waiter.request);
        }
    }

    private static boolean remove(LockState lock, Waiter waiter) {
        return lock.stopsAwaiting(waiter) || lock.waiters.remove(waiter);
    }

    private static Waiter.WaitResult timedOut(LockState lock, Waiter waiter) {
        return waiter.isRefusedBy(lock.refusals)
                ? Denied.REFUSED
                : new Waiter.Failed(lock.outage.unknown(
                        lock.effects.lock(), "within the time that the caller was willing to wait"));
    }

    /**
     * Returns whether a waiter is known here, or decided. Decides it if it was granted a hold without learning of it.
     * If it is unknown, an error has cut it off, and it must enter again.
     */
    public static boolean isKnown(LockState lock, Waiter waiter) {
        if (waiter.outcome.isDecided() || lock.waiters.contains(waiter) || lock.isAwaiting(waiter)) {
            return true;
        }
        for (Hold own : lock.owners()) {
            if (own.taker() == waiter) {
                decide(lock, waiter, new Waiter.Granted(own));
                return true;
            }
        }
        return false;
    }

    /** Creates new requests for the waiters with requests of their own, and asks for the lock. */
    public static void askAnew(LockState lock) {
        for (Waiter waiter : lock.waiters.withRequests()) {
            Request again = lock.newRequest(waiter);
            again.waiter = waiter;
            if (waiter.request != null) {
                again.pending().since = waiter.request.pending().since; // a try ends at the same time as before
            }
            waiter.request = again;
            Asking.ask(lock, again);
        }
    }

    // ================================================================ decisions

    public static void decide(LockState lock, Waiter waiter, Waiter.WaitResult result) {
        lock.effects.decide(waiter.outcome, result);
        lock.countWait(waiter, result);
        LockEvents.waited(lock.effects, waiter, result);
    }

    /** Gives the lock to a waiter. */
    public static void occupy(LockState lock, Request request, Waiter waiter, long now) {
        request.occupied(now);
        Hold held = lock.kind.hold(request, waiter, now);
        Waiter.Granted granted = new Waiter.Granted(held);
        lock.kind.begins(lock, held.whole());
        remove(lock, waiter);
        decide(lock, waiter, granted);
        LockEvents.acquired(lock.effects, held, waiter);
        Owners.begun(lock, held);
        lock.kind.begun(lock, held.whole());
    }

    /** Passes a hold to the next waiter without the backend, if that is allowed. Returns whether it was. */
    static boolean handOver(LockState lock, Request request, Hold from) {
        Waiter next = lock.kind.follower(lock, request);
        long now = lock.effects.now();
        if (next == null
                || lock.closed
                || request.state != State.HELD
                || !mayFollow(lock, request, next, now)
                || lock.waiters.hasOwnRequests()) {
            return false;
        }
        request.lastToken++;
        LockEvents.handedOver(lock.effects, from, next, request.lastToken);
        occupy(lock, request, next, now);
        return true;
    }

    private static boolean mayFollow(LockState lock, Request request, Waiter next, long now) {
        return request.terms.equals(next.terms)
                ? Slice.allowsHandover(request, now, lock.slice()) || Retaining.mayFollow(lock, request, now)
                : lock.kind.mayFollow(lock, request, next.terms, now);
    }

    /** Decides that the waiter of a request does not get the lock, and withdraws the request. */
    public static void refuse(LockState lock, Request request, Waiter.WaitResult result) {
        lock.kind.wantsNoLonger(lock, request);
        boolean polls = lock.waiters.oldest() == request;
        Waiter waiter = lock.waiters.of(request);
        remove(lock, waiter);
        decide(lock, waiter, result);
        Awaiting.fails(request, waiter);
        Withdrawing.withdraw(lock, request);
        othersPoll(lock, polls);
    }

    /** Lets another FIFO request poll if the one that left did: its answer would have said when to ask again. */
    private static void othersPoll(LockState lock, boolean itPolled) {
        if (itPolled && lock.pollAt == Ticker.NEVER && lock.waiters.hasOwnRequests()) {
            lock.pollAt = lock.lastEvent;
        }
    }

    // ================================================================ dismissals

    /** Dismisses all waiters because of an outage or a final error. */
    public static void failAll(LockState lock, LockException cause) {
        lock.outage = lock.outage.restarted();
        dismissAll(lock, cause);
    }

    /** Dismisses all waiters that have come so far. */
    public static void dismissAll(LockState lock, LockException cause) {
        if (!lock.waiters.isEmpty()) {
            lock.seldomUsed().dismissal = new SeldomUsed.Dismissal(cause, lock.effects.now());
            dismissSome(lock);
        }
    }

    /** Dismisses some of the waiters that must be dismissed. The others follow at once, in the next event. */
    public static void dismissSome(LockState lock) {
        SeldomUsed.Dismissal dismissal = lock.dismissal();
        if (dismissal == null) {
            return;
        }
        for (int i = 0; i < lock.effects.timing().underWay(); i++) {
            Waiter waiter = lock.waiters.poll(dismissal.until());
            if (waiter == null) {
                lock.seldomUsed().dismissal = null;
                return;
            }
            decide(lock, waiter, new Waiter.Failed(dismissal.cause()));
            withdraw(lock, waiter);
        }
    }

    /** Returns the time of arrival of a waiter that comes now: after those that are being dismissed. */
    private static long afterDismissal(LockState lock, long now) {
        SeldomUsed.Dismissal dismissal = lock.dismissal();
        return dismissal == null ? now : Math.max(now, dismissal.until() + 1);
    }
}
