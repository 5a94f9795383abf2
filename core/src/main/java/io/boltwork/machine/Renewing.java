package io.boltwork.machine;

import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockListener;
import io.boltwork.machine.Request.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * HELD: renews, verifies, extends and restores a lease, until its hold is left or lost. Part of a {@link LockMachine}:
 * handles the answers to {@code Renew} and {@code Restore}. {@link RenewalClock} has the times.
 */
final class Renewing {

    private Renewing() {}

    // ================================================================ renewing

    /** Renews the lease if it is time, or ends the hold whose deadline has passed. */
    static void renewIfDue(LockMachine machine, Request request, long now) {
        RenewalClock.hear(request);
        if (now >= request.deadline()) {
            lose(machine, request, request.reasonOfEnd());
        } else if (RenewalClock.isRenewalDue(request, now, machine.commandTimeout())) {
            if (RenewalClock.isOnlyVerified(request) || !isAbandoned(machine, request)) {
                Command.Renew.Item item = renewal(request, now);
                boolean tacit = machine.outage == LockOutage.NONE && RenewalClock.mayBeTacit(request, item);
                RenewalClock.begun(request, machine.effects.renew(item, tacit), tacit);
            } else if (!request.confirmed) {
                machine.effects.renew(verification(request), false);
            }
        }
    }

    /** Does what is due for a request that is held. */
    static void tick(LockMachine machine, Request request, long now) {
        boolean lost = doubt(machine, request, now);
        if (!lost && (now >= request.deadline() || !request.confirmed || RenewalClock.isRenewedInVain(request))) {
            renewIfDue(machine, request, now);
        }
    }

    /** Verifies the hold, because the connection was replaced. */
    static void connected(Request request, long now, RecoveryTally recovery) {
        request.recovers(recovery);
        RenewalClock.verify(request, now);
    }

    /** Makes a renewal, or a {@linkplain #verification verification} of a lease that must not last longer. */
    static Command.Renew.Item renewal(Request request, long now) {
        if (request.confirmed && (RenewalClock.isFixed(request) || request.deadline() >= request.bounds.maxEnd)) {
            return verification(request);
        }
        request.renewals = (byte) Math.min(request.renewals + 1, 2);
        return item(request, now, RenewalClock.leaseToSend(request, now));
    }

    /**
     * Makes a renewal that only asks whether the server has the lease, and shows that this client exists. It prolongs
     * nothing, however late it is executed. The server never moves the end of a lease back, and without a lease and a
     * takeover delay it moves it to the present at most.
     */
    static Command.Renew.Item verification(Request request) {
        return new Command.Renew.Item(request.lock(), request.id(), request.firstToken, RenewalClock.NO_LEASE, 0);
    }

    /** Makes a renewal that lets the lease last for that long from now on at least. */
    static Command.Renew.Item extension(Request request, long now, long leaseMillis) {
        request.extended = true;
        return item(request, now, leaseMillis);
    }

    private static Command.Renew.Item item(Request request, long now, long leaseMillis) {
        request.prolongs(now, leaseMillis);
        return new Command.Renew.Item(
                request.lock(), request.id(), request.firstToken, leaseMillis, request.terms.takeoverMillis);
    }

    /** Makes a command that restores a hold that the server has forgotten. */
    static Command.Restore restore(Request request, ServerClock clock, long now, long commandTimeout) {
        RenewalClock.begun(request, now, false);
        long stale = request.notAfter(clock, now, commandTimeout);
        long leaseMillis = RenewalClock.leaseToSend(request, now);
        request.prolongs(now, leaseMillis);
        return new Command.Restore(
                request.lock(), request.id(), request.firstToken, leaseMillis, request.terms.takeoverMillis, stale);
    }

    /** Returns whether nothing exists any more that could release the hold. Such a hold ends with its lease. */
    private static boolean isAbandoned(LockMachine machine, Request request) {
        Hold held = machine.hold;
        LockListener.Absence absence = held == null ? null : held.absence();
        if (held == null || absence == null) {
            return false;
        }
        request.renewAt = Ticker.NEVER;
        if (!request.abandoned) { // the renewer looks again after the connection was replaced
            request.abandoned = true;
            LockEvents.abandoned(machine.effects, held, absence);
        }
        return true;
    }

    // ================================================================ extensions

    /** Asks the server for a lease of {@code nanos} from now on at least. */
    static void extend(LockMachine machine, Hold held, long nanos, Promise<Extension> outcome) {
        if (isHeld(machine, held, outcome)) {
            Request request = held.request;
            send(machine, request, extension(request, machine.lastEvent, LeaseTimes.covering(nanos)), outcome);
        }
    }

    /** Asks the server whether it still knows the hold. */
    static void verify(LockMachine machine, Hold held, Promise<Extension> outcome) {
        if (isHeld(machine, held, outcome)) {
            send(machine, held.request, verification(held.request), outcome);
        }
    }

    private static boolean isHeld(LockMachine machine, Hold held, Promise<Extension> outcome) {
        Request request = held.request;
        if (machine.hold == held && machine.lastEvent >= request.deadline()) {
            lose(machine, request, request.reasonOfEnd());
        }
        if (machine.hold != held) {
            machine.effects.decide(outcome, Extension.LOST);
            return false;
        }
        return true;
    }

    private static void send(
            LockMachine machine, Request request, Command.Renew.Item item, Promise<Extension> outcome) {
        long millis = LeaseTimes.effectMillis(machine.commandTimeout(), request.terms.leaseMillis);
        long stale = LeaseTimes.notAfter(machine.effects.serverClock(), machine.lastEvent, millis);
        Command.Renew renew = new Command.Renew(List.of(item), stale);
        if (machine.extensions.isEmpty()) {
            machine.extensions = new IdentityHashMap<>();
        }
        machine.extensions.put(renew, outcome);
        machine.effects.send(renew);
    }

    /** Handles the answer to an extension, which is a renewal, too. */
    static void extended(LockMachine machine, Command.Renew renew, long sent, Reply.Renewed.Item result) {
        Command.Renew.Item item = renew.items().get(0);
        boolean held = renewed(machine, item, sent, result);
        Promise<Extension> outcome = machine.extensions.remove(renew);
        if (outcome != null) {
            machine.effects.decide(
                    outcome,
                    !held || result.outcome() == Reply.Renewal.LOST
                            ? Extension.LOST
                            : result.outcome() == Reply.Renewal.OK ? Extension.DONE : Extension.AGAIN);
        }
    }

    /** Handles a failed extension. */
    static void extensionFailed(LockMachine machine, Command.Renew renew, Reply.Failed failed) {
        Promise<Extension> outcome = machine.extensions.remove(renew);
        if (outcome != null) {
            machine.effects.decide(outcome, new Extension.Failed(failed.cause()));
        }
    }

    // ================================================================ answers

    /** Handles the result of one renewal. Returns whether it concerns a lease that is held. */
    static boolean renewed(LockMachine machine, Command.Renew.Item item, long sent, Reply.Renewed.Item result) {
        boolean held = answered(machine, item.request(), item.firstToken(), item.leaseMillis(), sent, result.outcome());
        machine.ownerNamed(result.owner());
        return held;
    }

    /** Handles the answer to a restore. */
    static void restored(LockMachine machine, Command.Restore restore, long sent, Reply.Restored restored) {
        // refused because an earlier try, whose answer was lost, had restored it? A renewal finds that out
        boolean twice =
                restored.outcome() == Reply.Renewal.LOST && restore.request().equals(restored.owner());
        Reply.Renewal outcome = twice ? Reply.Renewal.STALE : restored.outcome();
        boolean held = answered(machine, restore.request(), restore.firstToken(), restore.leaseMillis(), sent, outcome);
        if (held && outcome == Reply.Renewal.OK) {
            LockEvents.restored(machine.effects, machine.hold);
        }
        machine.ownerNamed(restored.owner());
    }

    /** Returns whether the answer concerns a lease that is held. */
    private static boolean answered(
            LockMachine machine, String id, long firstToken, long leaseMillis, long sent, Reply.Renewal outcome) {
        Request request = machine.find(id);
        long now = machine.lastEvent;
        if (request == null || request.state != State.HELD || request.firstToken != firstToken) {
            return false;
        }
        RenewalClock.close(request);
        if (now >= request.deadline()) {
            lose(machine, request, request.reasonOfEnd());
            return false;
        }
        switch (outcome) {
            case OK -> {
                trust(machine, request, sent, leaseMillis);
                RenewalClock.prolonged(request, sent, leaseMillis);
                request.verified();
            }
            case FORGOTTEN -> {
                if (request.abandoned) {
                    lose(machine, request, Reason.EXPIRED); // it would be restored in vain
                } else {
                    request.forgotten();
                    Effects effects = machine.effects;
                    effects.send(restore(request, effects.serverClock(), now, machine.commandTimeout()));
                }
            }
            case LOST -> {
                lose(machine, request, Reason.TAKEN);
                Asking.askOthers(machine, request);
            }
            case STALE ->
                RenewalClock.verify(request, now); // at once: this very answer has corrected the server's clock
            case BROKEN -> {} // the renewer tries again until the deadline
        }
        return true;
    }

    /** Notes that a renewal or restore was not answered: the renewer repeats it. */
    static void renewalFailed(LockMachine machine, String id) {
        Request request = machine.find(id);
        if (request != null && request.state == State.HELD) {
            RenewalClock.begun(request, machine.effects.now(), false); // so that it is not repeated at once
        }
    }

    /** Handles that the backend names a request as the owner, which is held already. */
    static void grantedAgain(
            LockMachine machine, Request request, long deadline, long token, boolean confirmed, long sent) {
        if (machine.effects.now() >= request.deadline()) {
            lose(machine, request, request.reasonOfEnd());
        } else if (token > request.firstToken) {
            lose(machine, request, Reason.TAKEN); // granted a second time: the first grant had ended
        } else if (token == request.firstToken) {
            RenewalClock.lasts(request, deadline);
            if (confirmed) {
                RenewalClock.confirm(request, sent);
            }
        }
    }

    // ================================================================ suspensions

    /** Looks whether the lease may have ended while the machine was suspended. Returns whether it counts as lost. */
    private static boolean doubt(LockMachine machine, Request request, long now) {
        MissedTime missedTime = request.missedTime();
        Hold held = machine.hold;
        if (missedTime == null || held == null || held.request != request) {
            return false;
        }
        if (missedTime.isInVain(now, request.deadline())) {
            lose(machine, request, Reason.EXPIRED);
            return true;
        }
        if (missedTime.isDoubtful(now, request.deadline())) {
            held.doubt();
        }
        return false;
    }

    /** Ends the doubt if the server has answered for the lease, to what was sent after the suspension. */
    private static void trust(LockMachine machine, Request request, long sent, long leaseMillis) {
        MissedTime missedTime = request.missedTime();
        if (missedTime != null && missedTime.isAnsweredBy(sent)) {
            RenewalClock.answeredFor(request, missedTime.missed(), sent, leaseMillis);
            Hold held = machine.hold;
            if (held != null) {
                held.trust();
            }
        }
    }

    // ================================================================ loss

    /** Ends a hold against its owner's will. The backend is told when the owner has unwound. */
    static void lose(LockMachine machine, Request request, Reason reason) {
        Hold held = machine.hold;
        if (held == null || held.request != request) {
            return;
        }
        held.lose(reason);
        if (held.loss() == null) {
            return; // its owner was faster: the release is in the mailbox
        }
        long now = machine.effects.now();
        machine.lostHolds = machine.lostHolds.with(held, now); // first, so that its thread finds it at any moment
        machine.hold = null;
        Releasing.lost(machine, request);
        Releasing.planAfterLoss(machine, request, reason);
    }

    /** Ends a hold because the backend has taken the lock away, or given it to another request. */
    static void displace(LockMachine machine, Hold before) {
        Request request = before.request;
        boolean ended = machine.effects.now() >= request.deadline();
        lose(machine, request, ended ? request.reasonOfEnd() : Reason.TAKEN);
        if (machine.hold != null) { // its owner was faster: the release is in the mailbox
            machine.hold = null;
            Releasing.lost(machine, request);
        }
    }
}
