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
import io.boltwork.machine.state.SharedReadHold;
import io.boltwork.machine.state.Waiters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client, from their call until they are granted the lock, refused or cancelled. Part of a {@link
 * LockMachine}.
 */
public final class Waiting {

    private Waiting() {}

    // ================================================================ coming and going

    /** Lets a waiter enter, or decides it at once. Returns whether it has entered. */
    public static boolean enter(LockState lock, Waiter waiter) {
        if (!waiter.isPooled) {
            waiter.since = afterDismissal(lock, lock.lastEvent);
        }
        if (lock.closed) {
            decide(lock, waiter, new Waiter.Failed(lock.closed("cannot be acquired")));
            return false;
        }
        Boolean timedOut = waiter.endedByTimeout();
        if (timedOut != null) {
            if (!waiter.outcome.isDecided()) {
                decide(lock, waiter, timedOut ? timedOut(lock, waiter) : Denied.CANCELLED);
            }
            return false;
        }
        if (Readers.isServed(lock, waiter)) {
            return false;
        }
        waiter.at = lock;
        Hold held = lock.hold;
        boolean taken = held != null || lock.wanted != null && lock.wanted.known;
        if (waiter.tryOnly && (taken || lock.wanted != null || !lock.waiters.isEmpty())) {
            decide(lock, waiter, Denied.REFUSED);
            return false;
        }
        if (held != null && isOfHandleOf(held, waiter.thread)) {
            LockEvents.waitsForItself(lock.effects, waiter);
        }
        if (lock.waiters.isEmpty()) {
            lock.outage = lock.outage.restarted();
        }
        if (taken) {
            lock.countUse();
        }
        waiter.refusalsBefore = taken ? lock.refusals - 1 : lock.refusals;
        if (waiter.hasOwnRequest()) {
            enterWithRequest(lock, waiter);
        } else {
            lock.waiters.add(waiter);
        }
        return true;
    }

    /** Returns whether the hold, or a part of it, belongs to a handle which that thread has asked for. */
    private static boolean isOfHandleOf(Hold held, @Nullable Thread thread) {
        return held instanceof SharedReadHold
                ? held.owners().stream().anyMatch(reader -> isOfHandleOf(reader, thread))
                : held.thread == null && held.asker == thread;
    }

    private static void enterWithRequest(LockState lock, Waiter waiter) {
        Waiters waiters = lock.waiters;
        Request request = lock.newRequest(waiter);
        waiter.request = request;
        waiters.add(waiter);
        Asking.ask(lock, request);
        if (lock.requests.isInLine(request) && Objects.requireNonNull(waiters.oldest()).known) {
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
        if (waiter.request != null) {
            Awaiting.fails(waiter.request, waiter);
            Withdrawing.withdraw(lock, waiter.request);
        }
        othersPoll(lock, polls);
        return true;
    }

    private static boolean remove(LockState lock, Waiter waiter) {
        return lock.stopsAwaiting(waiter) || lock.waiters.remove(waiter);
    }

    private static Waiter.WaitResult timedOut(LockState lock, Waiter waiter) {
        boolean refused = waiter.at == lock ? waiter.isRefusedBy(lock.refusals) : waiter.isRefused;
        return refused
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
        Hold held = lock.hold;
        if (held != null) {
            for (Hold own : held.owners()) {
                if (own.taker() == waiter) {
                    decide(lock, waiter, new Waiter.Granted(own));
                    return true;
                }
            }
        }
        return false;
    }

    /** Creates new requests for the waiters with requests of their own, and asks for the lock. */
    public static void askAnew(LockState lock) {
        for (Waiter waiter : lock.waiters.queued()) {
            Request again = lock.newRequest(waiter);
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

    /**
     * Gives the lock to a waiter.
     *
     * @param asked the waiter that the request is for, and that stands for {@code waiter} if it is another one
     */
    public static void occupy(LockState lock, Request request, Waiter asked, Waiter waiter, long now) {
        request.occupied(now);
        Hold held = Readers.hold(lock, request, waiter, now);
        Waiter.Granted granted = new Waiter.Granted(held);
        lock.hold = held.whole();
        remove(lock, asked);
        decide(lock, waiter, granted);
        LockEvents.acquired(lock.effects, held, waiter);
        Readers.othersJoin(lock);
    }

    /** Passes a hold to the next waiter without the backend, if that is allowed. Returns whether it was. */
    static boolean handOver(LockState lock, Request request, Hold from) {
        Waiter next = lock.waiters.first();
        long now = lock.effects.now();
        if (next == null
                || lock.closed
                || request.state != State.HELD
                || !mayFollow(lock, request, next, now)
                || lock.waiters.hasOwnRequests()) {
            return false;
        }
        Waiter served = lock.effects.served(next);
        if (served == null) {
            lock.waiters.remove(next); // it stood for a waiter that has been served meanwhile
            return false;
        }
        request.lastToken++;
        LockEvents.handedOver(lock.effects, from, served, request.lastToken);
        occupy(lock, request, next, served, now);
        return true;
    }

    private static boolean mayFollow(LockState lock, Request request, Waiter next, long now) {
        return request.terms.equals(next.terms)
                ? Slice.allowsHandover(request, now, lock.slice()) || Retaining.mayFollow(lock, request, now)
                : Readers.mayFollow(lock, request, next, now);
    }

    /** Decides that the waiter of a request does not get the lock, and withdraws the request. */
    public static void refuse(LockState lock, Request request, Waiter.WaitResult result) {
        if (request == lock.wanted) {
            lock.wanted = null;
        }
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
        lock.effects.dismissed(cause);
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
            if (waiter.request != null) {
                Awaiting.fails(waiter.request, waiter);
                Withdrawing.withdraw(lock, waiter.request);
            }
        }
    }

    /** Returns the time of arrival of a waiter that comes now: after those that are being dismissed. */
    private static long afterDismissal(LockState lock, long now) {
        SeldomUsed.Dismissal dismissal = lock.dismissal();
        return dismissal == null ? now : Math.max(now, dismissal.until() + 1);
    }
}
