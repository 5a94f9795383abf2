package io.boltwork.machine;

import io.boltwork.LockException;
import io.boltwork.machine.Waiter.Denied;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client, from their call until they are granted the lock, refused or cancelled. Part of a {@link
 * LockMachine}.
 */
final class Waiting {

    /**
     * A failure that all waiters are told of that came until then, some of them at each event.
     *
     * @param until a time of the client
     */
    record Dismissal(LockException cause, long until) {}

    private Waiting() {}

    // ================================================================ coming and going

    /** Lets a waiter enter, or decides it at once. */
    static void enter(LockMachine machine, Waiter waiter) {
        waiter.since = afterDismissal(machine, machine.lastEvent);
        if (machine.closed) {
            decide(machine, waiter, new Waiter.Failed(machine.closed("cannot be acquired")));
            return;
        }
        Hold held = machine.hold;
        boolean taken = held != null || machine.wanted != null && machine.wanted.known;
        if (waiter.tryOnly && (taken || machine.wanted != null || !machine.waiters.isEmpty())) {
            decide(machine, waiter, Denied.REFUSED);
            return;
        }
        if (held != null && held.thread == null && waiter.thread == held.asker) {
            LockEvents.waitsForItself(machine.effects, waiter);
        }
        if (machine.waiters.isEmpty()) {
            machine.outage = machine.outage.restarted();
        }
        waiter.refusalsBefore = taken ? machine.refusals - 1 : machine.refusals;
        if (waiter.terms.isFifo && !waiter.tryOnly) {
            enterFifo(machine, waiter);
        } else {
            machine.waiters.add(waiter);
        }
        machine.pump();
    }

    private static void enterFifo(LockMachine machine, Waiter waiter) {
        Waiters waiters = machine.waiters;
        Request request = machine.newRequest(waiter);
        waiter.request = request;
        waiters.add(waiter);
        Asking.ask(machine, request);
        if (machine.requests.isInLine(request) && Objects.requireNonNull(waiters.oldest()).known) {
            waiter.refusalsBefore = machine.refusals - 1; // no answer of its own will tell it for a while
        }
    }

    /** Cancels a waiter, unless it is decided. */
    static void cancel(LockMachine machine, Waiter waiter, boolean timedOut) {
        boolean polls = machine.waiters.oldest() == waiter.request && waiter.request != null;
        if (!machine.waiters.remove(waiter) && waiter.outcome.isDecided()) {
            return; // an undecided one is cancelled: an error has cut short its entry or its decision
        }
        decide(machine, waiter, timedOut ? timedOut(machine, waiter) : Denied.CANCELLED);
        if (waiter.request != null) {
            machine.withdrawing().withdraw(waiter.request);
        }
        othersPoll(machine, polls);
        machine.pump();
    }

    private static Waiter.WaitResult timedOut(LockMachine machine, Waiter waiter) {
        return machine.refusals - waiter.refusalsBefore > 0
                ? Denied.REFUSED
                : new Waiter.Failed(machine.outage.unknown(
                        machine.effects.lock(), "within the time that the caller was willing to wait"));
    }

    /** Enters a waiter again that an error has cut off, or that was granted a hold without learning of it. */
    static void lookAfter(LockMachine machine, Waiter waiter) {
        if (waiter.outcome.isDecided() || machine.waiters.contains(waiter)) {
            return;
        }
        Hold held = machine.hold;
        if (held != null && held.taker() == waiter) {
            decide(machine, waiter, new Waiter.Granted(held));
        } else {
            machine.request(waiter);
        }
    }

    /** Makes new requests for the FIFO waiters, and asks for them. */
    static void askAnew(LockMachine machine) {
        for (Waiter waiter : machine.waiters.queued()) {
            Request again = machine.newRequest(waiter);
            waiter.request = again;
            Asking.ask(machine, again);
        }
    }

    // ================================================================ decisions

    static void decide(LockMachine machine, Waiter waiter, Waiter.WaitResult result) {
        machine.effects.decide(waiter.outcome, result);
        LockEvents.waited(machine.effects, waiter, result);
    }

    /** Decides that the waiter of a request does not get the lock, and withdraws the request. */
    static void refuse(LockMachine machine, Request request, Waiter.WaitResult result) {
        if (request == machine.wanted) {
            machine.wanted = null;
        }
        boolean polls = machine.waiters.oldest() == request;
        decide(machine, machine.waiters.takeFor(request), result);
        machine.withdrawing().withdraw(request);
        othersPoll(machine, polls);
    }

    /** Lets another FIFO request poll if the one that left did: the answer would have said when to ask again. */
    private static void othersPoll(LockMachine machine, boolean itPolled) {
        if (itPolled && machine.pollAt == Ticker.NEVER && machine.waiters.hasOwnRequests()) {
            machine.pollAt = machine.lastEvent;
        }
    }

    // ================================================================ dismissals

    /** Dismisses all waiters because of an outage or a final error. */
    static void failAll(LockMachine machine, LockException cause) {
        machine.outage = machine.outage.restarted();
        dismissAll(machine, cause);
    }

    /** Dismisses all waiters that have come until now. */
    static void dismissAll(LockMachine machine, LockException cause) {
        if (!machine.waiters.isEmpty()) {
            machine.withdrawing().dismissal = new Dismissal(cause, machine.effects.now());
            dismissSome(machine);
        }
    }

    /** Dismisses some of the waiters that are to be dismissed. The others follow in the next event, at once. */
    static void dismissSome(LockMachine machine) {
        Dismissal dismissal = dismissal(machine);
        if (dismissal == null) {
            return;
        }
        for (int i = 0; i < machine.effects.timing().underWay(); i++) {
            Waiter waiter = machine.waiters.poll(dismissal.until());
            if (waiter == null) {
                machine.withdrawing().dismissal = null;
                return;
            }
            decide(machine, waiter, new Waiter.Failed(dismissal.cause()));
            if (waiter.request != null) {
                machine.withdrawing().withdraw(waiter.request);
            }
        }
    }

    /** Returns the dismissal that is under way; {@code null} if there is none. */
    static @Nullable Dismissal dismissal(LockMachine machine) {
        Withdrawing withdrawing = machine.withdrawing;
        return withdrawing == null ? null : withdrawing.dismissal;
    }

    /** Returns the time at which a waiter comes that comes now: after those that are being dismissed. */
    private static long afterDismissal(LockMachine machine, long now) {
        Dismissal dismissal = dismissal(machine);
        return dismissal == null ? now : Math.max(now, dismissal.until() + 1);
    }
}
