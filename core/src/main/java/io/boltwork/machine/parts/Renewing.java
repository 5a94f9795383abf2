// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.BackendException;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockListener;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Extension;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.MissedTime;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.LockEvents;
import io.boltwork.machine.state.LockOutage;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.LeaseTimes;
import io.boltwork.spi.rules.ServerClock;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * HELD: renews, verifies, extends and restores a lease, until its hold is left or lost. Part of a {@link LockMachine}:
 * handles the answers to {@code Renew} and {@code Restore}. {@link RenewalClock} has the times.
 */
public final class Renewing {

    private Renewing() {}

    // ================================================================ renewing

    /** Renews the lease if it is time to, or ends the hold if its deadline has passed. */
    public static void renewIfDue(LockState lock, Request request, long now) {
        RenewalClock.hear(request);
        if (now >= request.deadline()) {
            lose(lock, request, request.reasonOfEnd());
        } else if (RenewalClock.isRenewalDue(request, now, lock.commandTimeout())) {
            if (RenewalClock.isOpen(request, now)) {
                failed(lock, request, null);
            }
            if (RenewalClock.isOnlyVerified(request) || !isAbandoned(lock, request)) {
                Command.Renew.Item item = renewal(request, now);
                boolean tacit = lock.outage == LockOutage.NONE && RenewalClock.mayBeTacit(request, item);
                RenewalClock.begun(request, lock.effects.renew(request, item, tacit), tacit);
            } else if (!request.confirmed) {
                RenewalClock.begun(request, lock.effects.renew(request, verification(request), false), false);
            }
        }
    }

    /** Does what is due for a request that is held. */
    public static void tick(LockState lock, Request request, long now) {
        boolean lost = doubt(lock, request, now);
        if (!lost && (now >= request.deadline() || !request.confirmed || RenewalClock.isRenewedInVain(request))) {
            renewIfDue(lock, request, now);
        }
    }

    /** Verifies the hold, because the connection was replaced. */
    static void connected(LockState lock, Request request, long now, RecoveryTally recovery) {
        request.recovers(recovery);
        RenewalClock.verify(request, now);
        lock.kind.planVisit(lock, request);
    }

    /** Creates a renewal, or a {@linkplain #verification verification} of a lease that must not last longer. */
    public static Command.Renew.Item renewal(Request request, long now) {
        if (request.confirmed && (RenewalClock.isFixed(request) || request.deadline() >= request.bounds.maxEnd)) {
            return verification(request);
        }
        request.renewals = (byte) Math.min(request.renewals + 1, Byte.MAX_VALUE);
        request.renewalFailed = false;
        return item(request, now, RenewalClock.leaseToSend(request, now));
    }

    /**
     * Creates a renewal that only asks whether the server has the lease, and shows that this client exists. The renewal
     * prolongs nothing, however late it is executed: the server never moves the end of a lease back, and without a
     * lease and a takeover delay it moves the end to the present at most.
     */
    public static Command.Renew.Item verification(Request request) {
        return new Command.Renew.Item(
                request.lock(), request.id(), request.firstToken, RenewalClock.NO_LEASE, 0, request.share());
    }

    /** Creates a renewal that lets the lease last for at least that long from now on. */
    public static Command.Renew.Item extension(Request request, long now, long leaseMillis) {
        request.extended = true;
        return item(request, now, leaseMillis);
    }

    private static Command.Renew.Item item(Request request, long now, long leaseMillis) {
        request.prolongs(now, leaseMillis);
        return new Command.Renew.Item(
                request.lock(),
                request.id(),
                request.firstToken,
                leaseMillis,
                request.terms.takeoverMillis,
                request.share());
    }

    /** Creates a command that restores a hold that the server has forgotten. */
    public static Command.Restore restore(Request request, ServerClock clock, long now, long commandTimeout) {
        RenewalClock.begun(request, now, false);
        long stale = request.notAfter(clock, now, commandTimeout);
        long leaseMillis = RenewalClock.leaseToSend(request, now);
        request.prolongs(now, leaseMillis);
        if (request.part != null) {
            request.part.restored(stale);
        }
        return new Command.Restore(
                request.lock(),
                request.id(),
                request.firstToken,
                leaseMillis,
                request.terms.takeoverMillis,
                stale,
                request.held());
    }

    /**
     * Returns whether the hold can no longer be released, because its thread or its handles are gone. Such a hold ends
     * with its lease.
     */
    private static boolean isAbandoned(LockState lock, Request request) {
        Hold held = lock.heldBy(request);
        LockListener.Absence absence = held == null ? null : held.absence();
        if (held == null || absence == null) {
            return false;
        }
        request.renewAt = Ticker.NEVER;
        if (!request.abandoned) { // the renewer looks again after the connection was replaced
            request.abandoned = true;
            held.owners().forEach(owner -> LockEvents.abandoned(lock.effects, owner, absence));
        }
        return true;
    }

    // ================================================================ extensions

    /** Asks the server for a lease of at least {@code nanos} from now on. */
    public static void extend(LockState lock, Hold held, long nanos, Promise<Extension> outcome) {
        if (isHeld(lock, held, outcome)) {
            Request request = held.request;
            send(lock, request, extension(request, lock.lastEvent, LeaseTimes.covering(nanos)), outcome);
        }
    }

    /** Asks the server whether it still knows the hold. */
    public static void verify(LockState lock, Hold held, Promise<Extension> outcome) {
        if (isHeld(lock, held, outcome)) {
            send(lock, held.request, verification(held.request), outcome);
        }
    }

    private static boolean isHeld(LockState lock, Hold held, Promise<Extension> outcome) {
        Request request = held.request;
        Hold whole = lock.heldBy(request);
        boolean isHeld = whole != null && whole.includes(held);
        if (isHeld && lock.lastEvent >= request.deadline()) {
            lose(lock, request, request.reasonOfEnd());
        }
        if (!isHeld || lock.heldBy(request) != whole) {
            lock.effects.decide(outcome, Extension.LOST);
            return false;
        }
        return true;
    }

    private static void send(LockState lock, Request request, Command.Renew.Item item, Promise<Extension> outcome) {
        long millis = LeaseTimes.effectMillis(lock.commandTimeout(), request.terms.leaseMillis);
        long stale = LeaseTimes.notAfter(lock.effects.serverClock(), lock.lastEvent, millis);
        Command.Renew renew = new Command.Renew(List.of(item), stale);
        if (lock.extensions.isEmpty()) {
            lock.extensions = new IdentityHashMap<>();
        }
        lock.extensions.put(renew, outcome);
        lock.effects.send(renew);
    }

    /** Applies the answer to an extension or a verification, which are both renewals, and decides its promise. */
    static void extended(LockState lock, Command.Renew renew, long sent, Reply.Renewed.Item result) {
        Command.Renew.Item item = renew.items().get(0);
        boolean held = renewed(lock, item, sent, result);
        Promise<Extension> outcome = lock.extensions.remove(renew);
        if (outcome != null) {
            lock.effects.decide(
                    outcome,
                    !held || result.outcome() == Reply.Renewal.LOST
                            ? Extension.LOST
                            : result.outcome().isHeld() ? Extension.DONE : Extension.AGAIN);
        }
    }

    /** Fails the promise of an extension or verification. */
    static void extensionFailed(LockState lock, Command.Renew renew, Reply.Failed failed) {
        Promise<Extension> outcome = lock.extensions.remove(renew);
        if (outcome != null) {
            lock.effects.decide(outcome, new Extension.Failed(failed.cause()));
        }
    }

    // ================================================================ answers

    /** Applies the result of one renewal. Returns whether it concerns a lease that is held. */
    public static boolean renewed(LockState lock, Command.Renew.Item item, long sent, Reply.Renewed.Item result) {
        boolean held = answered(
                lock, item.request(), item.firstToken(), item.leaseMillis(), sent, result.outcome(), result.owner());
        Withdrawing.ownerNamed(lock, result.owner());
        Withdrawing.nudgeAfter(lock, result.claimMillis());
        return held;
    }

    /** Applies the answer to a restore. */
    static void restored(LockState lock, Command.Restore restore, long sent, Reply.Restored restored) {
        // an earlier restore, whose answer was lost, may have succeeded: a renewal finds that out
        boolean twice =
                restored.outcome() == Reply.Renewal.LOST && restore.request().equals(restored.owner());
        Reply.Renewal outcome = twice ? Reply.Renewal.STALE : restored.outcome();
        boolean held = answered(
                lock, restore.request(), restore.firstToken(), restore.leaseMillis(), sent, outcome, restored.owner());
        if (held && outcome.isHeld()) {
            Request request = lock.find(restore.request());
            Hold whole = request == null ? null : lock.heldBy(request);
            if (whole != null) {
                whole.owners().forEach(owner -> LockEvents.restored(lock.effects, owner));
            }
        }
        Withdrawing.ownerNamed(lock, restored.owner());
        Withdrawing.nudgeAfter(lock, restored.claimMillis());
    }

    /** Returns whether the answer concerns a lease that is held. */
    private static boolean answered(
            LockState lock,
            String id,
            long firstToken,
            long leaseMillis,
            long sent,
            Reply.Renewal outcome,
            @Nullable String owner) {
        Request request = lock.find(id);
        long now = lock.lastEvent;
        if (request == null || request.state != State.HELD || request.firstToken != firstToken) {
            return false;
        }
        boolean isOpen = RenewalClock.isOpen(request, sent);
        RenewalClock.close(request);
        if (now >= request.deadline()) {
            lose(lock, request, request.reasonOfEnd());
            return false;
        }
        switch (outcome) {
            case OK, WANTED -> {
                trust(lock, request, sent, leaseMillis);
                RenewalClock.prolonged(request, sent, leaseMillis);
                request.verified();
                if (outcome == Reply.Renewal.WANTED) {
                    Retaining.wanted(lock, request, firstToken);
                }
            }
            case FORGOTTEN -> {
                if (request.abandoned || isDoubtful(request, now) || request == lock.retained()) {
                    lose(lock, request, Reason.EXPIRED); // a restore would be in vain, or too late
                } else {
                    request.forgotten();
                    Effects effects = lock.effects;
                    effects.send(restore(request, effects.serverClock(), now, lock.commandTimeout()));
                }
            }
            case LOST -> {
                boolean expired = owner == null && isDoubtful(request, now);
                lose(lock, request, expired ? Reason.EXPIRED : Reason.TAKEN);
                Asking.askOthers(lock, request);
            }
            case STALE ->
                RenewalClock.verify(request, now); // at once: this very answer has corrected the estimated server clock
            case BROKEN -> broken(lock, request, isOpen);
        }
        lock.kind.planVisit(lock, request);
        return true;
    }

    /** Lets the renewer try again until the deadline, but not at once, if a renewal was answered and did nothing. */
    private static void broken(LockState lock, Request request, boolean isOpen) {
        if (isOpen) {
            failed(lock, request, LockOutage.broken(request.lock()));
            RenewalClock.begun(request, lock.lastEvent, false);
        }
    }

    /**
     * Lets the renewer repeat a renewal or restore that has failed, but not at once. Without effect if it was repeated
     * before.
     */
    public static void renewalFailed(LockState lock, String id, long sent, BackendException cause) {
        Request request = lock.find(id);
        if (request != null && request.state == State.HELD && RenewalClock.isOpen(request, sent)) {
            failed(lock, request, cause);
            RenewalClock.begun(request, lock.effects.now(), false); // so that it is not repeated at once
            lock.kind.planVisit(lock, request);
        }
    }

    /**
     * Tells that the open renewal has failed, unless that was told before.
     *
     * @param cause the error; {@code null} if there was no answer
     */
    private static void failed(LockState lock, Request request, @Nullable BackendException cause) {
        boolean isFirst = request.renewals > 0 && !request.renewalFailed;
        request.renewalFailed = true;
        Hold held = lock.heldBy(request);
        if (isFirst && held != null && request.terms.isRenewed && !request.abandoned) {
            held.owners().stream()
                    .findFirst()
                    .filter(owner -> owner.loss() == null)
                    .ifPresent(owner -> LockEvents.renewalFailed(lock.effects, owner, cause));
        }
    }

    /** Prolongs a hold whose request the backend names as the owner once more, or loses it if that is another grant. */
    static void grantedAgain(LockState lock, Request request, long deadline, long token, boolean confirmed, long sent) {
        if (lock.effects.now() >= request.deadline()) {
            lose(lock, request, request.reasonOfEnd());
        } else if (token > request.firstToken) {
            lose(lock, request, Reason.TAKEN); // granted a second time: the first grant had ended
        } else if (token == request.firstToken) {
            RenewalClock.lasts(request, deadline);
            if (confirmed) {
                RenewalClock.confirm(request, sent);
            }
            lock.kind.planVisit(lock, request);
        }
    }

    // ================================================================ suspensions

    /** Suspends the validity of a hold whose lease may have ended. Returns whether the hold counts as lost. */
    private static boolean doubt(LockState lock, Request request, long now) {
        MissedTime missedTime = request.missedTime();
        Hold held = lock.heldBy(request);
        if (missedTime == null || held == null) {
            return false;
        }
        if (missedTime.isInVain(now, request.deadline())) {
            lose(lock, request, Reason.EXPIRED);
            return true;
        }
        if (missedTime.isDoubtful(now, request.deadline())) {
            held.doubt();
        }
        return false;
    }

    /** Returns whether the lease may have ended while the machine was suspended. */
    private static boolean isDoubtful(Request request, long now) {
        MissedTime missedTime = request.missedTime();
        return missedTime != null && missedTime.isDoubtful(now, request.deadline());
    }

    /** Ends the doubt if the server has confirmed the lease, in its answer to a command sent after the suspension. */
    private static void trust(LockState lock, Request request, long sent, long leaseMillis) {
        MissedTime missedTime = request.missedTime();
        if (missedTime != null && missedTime.isAnsweredBy(sent)) {
            RenewalClock.answeredFor(request, missedTime.missed(), sent, leaseMillis);
            Hold held = lock.heldBy(request);
            if (held != null) {
                held.trust();
            }
        }
    }

    // ================================================================ loss

    /** Ends a hold against its owner's will. The backend learns of it when the owner has unwound. */
    public static void lose(LockState lock, Request request, Reason reason) {
        if (request == lock.retained()) {
            lock.effects.retainedLost();
            Releasing.giveBack(lock);
            return;
        }
        Hold held = lock.heldBy(request);
        if (held == null) {
            return;
        }
        held.lose(reason);
        if (held.loss() == null) {
            return; // its owner was faster: the release is in the mailbox
        }
        long now = lock.effects.now();
        lock.lostHolds = lock.lostHolds.with(held.owners(), now); // first, so that its thread finds it at any moment
        lock.kind.ends(lock, held);
        Releasing.lost(lock, request);
        Releasing.planAfterLoss(lock, request, reason);
    }

    /** Ends a hold because the backend has taken the lock away, or given it to another request. */
    public static void displace(LockState lock) {
        Releasing.giveBack(lock);
        Hold before = lock.hold;
        if (before != null) {
            displace(lock, before);
        }
    }

    /** Ends that hold, because the backend has taken the lock away. */
    public static void displace(LockState lock, Hold before) {
        Request request = before.request;
        boolean ended = lock.effects.now() >= request.deadline();
        lose(lock, request, ended ? request.reasonOfEnd() : Reason.TAKEN);
        if (lock.heldBy(request) != null) { // its owner was faster: the release is in the mailbox
            lock.kind.ends(lock, before);
            Releasing.lost(lock, request);
        }
    }
}
