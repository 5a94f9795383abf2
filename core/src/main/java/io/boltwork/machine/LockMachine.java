// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import io.boltwork.BackendException;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.machine.parts.AnswerHandlers;
import io.boltwork.machine.parts.Asking;
import io.boltwork.machine.parts.Awaiting;
import io.boltwork.machine.parts.Granting;
import io.boltwork.machine.parts.Reconnecting;
import io.boltwork.machine.parts.Releasing;
import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.parts.Retaining;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.parts.Withdrawing;
import io.boltwork.machine.request.Extension;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.SignalWait;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.Kind;
import io.boltwork.machine.state.LockOutage;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.LostHolds;
import io.boltwork.machine.state.ManyRequests;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The state machine of one lock in one client: takes events, one at a time, and decides what follows from them. */
public final class LockMachine extends LockState {

    /*
     * A state machine without threads, clocks or connections. Events are method calls, never two at a time (see
     * Mailbox). Their consequences go out through Effects. docs/inside/synchronization.md shows the states and lists
     * the races.
     *
     * Two halves meet in pump():
     *
     *   local    `waiters`, in order of arrival, and `hold`, which one of them has. A released hold passes to the next
     *            waiter directly while its slice lasts; otherwise the backend is told.
     *   remote   `requests`, by number. At most one is `wanted`: it asks for the first of the waiters that share, and
     *            for those behind it with equal options. A FIFO waiter has a request of its own, which asks at once,
     *            whether or not the lock is held here; the oldest of these polls for all. At most one request is HELD.
     *            Any number may be RELEASING or WITHDRAWING.
     *
     * That is a plain lock. A shared lock has more holds and wanted requests; its Kind decides which, and keeps them.
     *
     * Each state of a request has one or two parts of the machine, which send its commands and handle the answers:
     *
     *   Asking        WANTED            Acquire
     *   Awaiting      WANTED            Acquire, before a signal of its condition
     *   Granting      WANTED            Replicate; handles the answers to Acquire, too, and grants
     *   Renewing      HELD              Renew, Restore
     *   Retaining     HELD              none: keeps the lease while it has no owner here; Taking ends that
     *   Releasing     LOST, RELEASING   Release
     *   Withdrawing   WITHDRAWING       Withdraw
     *
     * Waiting handles the local waiters, and Retrying what follows when there is no answer. The parts work on the
     * LockState, so that a lock costs no more objects, and no part uses the machine itself.
     *
     * Each command is answered, or given up after the command timeout and sent again. The meaning of an answer depends
     * on the request alone, because answers may be late, duplicated, or out of order.
     */

    /**
     * The time for which the state of an unused lock is kept, so that the state of a lock in regular use is not built
     * anew each time.
     */
    public static final long IDLE = TimeUnit.SECONDS.toNanos(1);

    /** The largest number of commands of one lock that are under way at a time; other requests wait in line. */
    public static final int UNDER_WAY = 64;

    public LockMachine(Effects effects, Kind kind) {
        super(effects, kind);
    }

    // ================================================================ events: local

    /** Adds a caller that wants the lock. */
    public void request(Waiter waiter) {
        lastEvent = effects.now();
        if (Waiting.enter(this, waiter)) {
            pump();
        }
    }

    /** Removes a caller that no longer wants the lock. Has no effect once the waiter is decided. */
    public void cancel(Waiter waiter, boolean timedOut) {
        lastEvent = effects.now();
        if (Waiting.cancel(this, waiter, timedOut)) {
            pump();
        }
    }

    /**
     * Lets the requests that wait for more than {@code permits} ask again, because the answer may be another now.
     */
    public void askAgain(int permits) {
        lastEvent = effects.now();
        kind.askAgain(this, permits);
        pump();
    }

    /** Checks that the waiter of a sleeping caller is known. If it is not, because of an error, it enters again. */
    public void lookAfter(Waiter waiter) {
        if (!Waiting.isKnown(this, waiter)) {
            request(waiter);
        }
    }

    /** Releases a hold, or hands it over. Its owner has left the outermost level, or has unwound a lost hold. */
    public void release(Hold left) {
        lastEvent = effects.now();
        if (Releasing.release(this, left, null)) {
            pump();
        }
    }

    /**
     * Releases a hold whose owner has left all its levels, and lets that owner wait for a signal and then for the lock.
     */
    public void await(Hold left, Waiter waiter, SignalWait wait) {
        lastEvent = effects.now();
        Awaiting.awaitSignal(this, left, waiter, wait);
        pump();
    }

    /** Adds an owner's signal, which is sent when the lock is released. */
    public void signal(String condition, int waiters) {
        Awaiting.signal(this, condition, waiters);
    }

    /** Remembers a lost hold, whose owner has waited for a signal and did not get the lock back. */
    public void lostAway(Hold lost) {
        lostHolds = lostHolds.with(List.of(lost), effects.now());
    }

    /** Extends the hold, so that it lasts for at least {@code nanos} from now on. */
    public void extend(Hold held, long nanos, Promise<Extension> outcome) {
        lastEvent = effects.now();
        Renewing.extend(this, held, nanos, outcome);
        pump();
    }

    /** Asks the backend whether it still knows the hold. */
    public void verify(Hold held, Promise<Extension> outcome) {
        lastEvent = effects.now();
        Renewing.verify(this, held, outcome);
        pump();
    }

    /** Drops the promise of an extension or verification for which the owner no longer waits. */
    public void extensionGivenUp(Promise<Extension> outcome) {
        extensions.values().remove(outcome);
    }

    /** Ends a hold after a thread has noticed that its deadline has passed. */
    public void expired(Hold noticed) {
        Hold held = heldBy(noticed.request);
        if (held != null && held.includes(noticed)) {
            Renewing.lose(this, noticed.request, noticed.request.reasonOfEnd());
            pump();
        }
    }

    /** Keeps a lost hold until its owner has unwound, after an attempt to nest in it. */
    public void nested(Hold lost) {
        expired(lost);
        lostHolds = lostHolds.untilUnwound(lost);
    }

    /** Dismisses all waiters and releases everything, because the client closes. */
    public void close() {
        closed = true;
        ManyRequests many = requests.many();
        if (many != null) {
            many.stopAsking();
        }
        Awaiting.wakeAll(this);
        Waiting.dismissAll(this, closed("cannot be acquired"));
        for (Hold held : List.copyOf(holds())) {
            kind.ends(this, held);
            held.lose(Reason.CLOSED);
            Releasing.start(this, held.request);
        }
        Releasing.giveBack(this);
        for (Request request : many == null ? requests.all() : many.lost(commandTimeout())) {
            if (request.state == State.LOST) {
                Releasing.start(this, request);
            }
        }
        lostHolds = LostHolds.NONE;
        pump();
    }

    /**
     * Ends all requests under the old id of the client, because another living client may have the same one. Nothing
     * more may be sent for requests under the old id, since they may be the other client's. The hold is lost, and the
     * waiters ask anew.
     */
    public void disowned() {
        for (Hold held : List.copyOf(holds())) {
            Renewing.lose(this, held.request, Reason.CLONED);
            kind.ends(this, held);
        }
        retention = null;
        Request before = wanted;
        for (Request request : requests.all()) {
            request.settle(RecoveryTally::done);
            Releasing.disowned(this, request);
            kind.wantsNoLonger(this, request);
            requests.remove(request);
        }
        extensions.values().forEach(outcome -> effects.decide(outcome, Extension.LOST));
        extensions = Collections.emptyMap();
        wanted = null;
        pollAt = Ticker.NEVER;
        Awaiting.wakeAll(this);
        Waiting.askAnew(this);
        pump();
        if (before != null && wanted != null) {
            wanted.pending().since = before.pending().since; // a try ends at the same time as before
        }
    }

    // ================================================================ events: from the backend

    /** Applies the reply to a command, whether or not it is awaited. */
    public void answered(Command.RequestCommand<?> command, long sent, Reply reply) {
        lastEvent = effects.now();
        if (reply instanceof Reply.Failed failed) {
            noAnswer(sent, failed.cause());
            AnswerHandlers.handlerOf(command).failed(this, command, failed);
        } else {
            if (!(reply instanceof Reply.Acquired acquired && acquired.verdict() == Reply.Verdict.REFUSED)) {
                cancelNudge(); // a refused try does not come back to look after the lock
            }
            endOutage();
            AnswerHandlers.handlerOf(command).answered(this, command, sent, reply);
        }
        pump();
    }

    /** Applies the result of one renewal. */
    public void renewed(Command.Renew.Item item, long sent, Reply.Renewed.Item result) {
        Hold held = hold;
        lastEvent = effects.now();
        endOutage();
        Renewing.renewed(this, item, sent, result);
        pumpUnless(held);
    }

    /** Tells of a renewal that has failed, and delays the next one. */
    public void renewalFailed(Command.Renew.Item item, long sent, BackendException cause) {
        Renewing.renewalFailed(this, item.request(), sent, cause);
    }

    /** Applies the message that the backend has granted the lock to a waiting request. */
    public void granted(Grant grant) {
        long now = effects.now();
        lastEvent = now;
        cancelNudge();
        Request request = find(grant.request());
        if (request == null) {
            Withdrawing.stray(this, grant.request());
            return;
        }
        Granting.granted(this, request, grant, now);
        pump();
    }

    /**
     * Ends a hold that was released by force. The message concerns the hold here if the request and the token are those
     * of the hold, and the server run is the present one.
     */
    public void taken(HoldTaken taken) {
        lastEvent = effects.now();
        Request request = find(taken.request());
        if (request != null
                && request.state == State.HELD
                && request.firstToken == taken.token()
                && taken.server().run().equals(effects.serverClock().run())) {
            Hold held = heldBy(request);
            if (held == null) {
                Releasing.giveBack(this);
            } else {
                Renewing.displace(this, held);
            }
            pump();
        }
    }

    /** Applies the message that another client waits for a lock that this one may retain. */
    public void wanted(LockWanted wanted) {
        lastEvent = effects.now();
        Request request = find(wanted.request());
        if (request != null) {
            Retaining.wanted(this, request, wanted.token());
            pump();
        }
    }

    /** Gives the lock back if it is retained. */
    public void giveBack() {
        lastEvent = effects.now();
        Releasing.giveBack(this);
        pump();
    }

    /**
     * Ends the holds of a shared lock that this client has released by force. The release concerns a hold here if all
     * holds up to its token have ended, or the one that has the expected token, and the server run is the present one.
     */
    public void forced(long expectedToken, Reply.Forced forced) {
        for (Hold held : List.copyOf(holds())) {
            Request request = held.request;
            boolean isOne =
                    forced.released() && request.firstToken <= expectedToken && expectedToken <= request.blockEnd();
            if (isOne || request.firstToken <= forced.ended()) {
                taken(new HoldTaken(
                        request.lock(), request.id(), request.firstToken, forced.server(), request.context.kind()));
            }
        }
    }

    /**
     * Verifies or repeats all requests over a new connection. Messages and answers may have been lost, and the server
     * may be another one.
     */
    public void connected(RecoveryTally recovery) {
        Reconnecting.connected(this, recovery);
        tick();
    }

    /** Asks the server about the hold after this computer was suspended or a clock was set. */
    public void suspended(long missed) {
        for (Hold held : holds()) {
            RenewalClock.suspended(held.request, missed, effects.now(), commandTimeout());
            kind.planVisit(this, held.request);
        }
        if (isHeld()) {
            tick();
        } else if (isLeased()) {
            giveBack();
        }
    }

    /** Dismisses all callers that wait for the lock or for a signal, because the backend will not answer. */
    public void refuseAll(BackendException cause) {
        Awaiting.wakeAll(this);
        Waiting.failAll(this, LockOutage.refused(effects.lock(), cause));
    }

    /** Lets queued requests ask after the connection was lost, so that their outage patience begins now. */
    public void disconnected() {
        Request request = kind.first(this);
        if (request != null && !request.isAwaiting()) {
            request.pending().dueAt = effects.now();
        }
        if (waiters.hasOwnRequests()) {
            pollAt = effects.now();
        }
        tick();
    }

    /**
     * Plans a nudge after a grant that this client has caused. The new owner has that long to claim the lock. Sends it
     * after that time, or nudges at once if the server has to be asked {@linkplain Reply#AGAIN again}.
     */
    public void nudgeAfter(long claimMillis) {
        Withdrawing.nudgeAfter(this, claimMillis);
    }

    /** Withdraws a request whose release was answered, because a new server may have lost that release. */
    public void releaseAgain(long request, long lastToken) {
        if (!requests.contains(request)) {
            Withdrawing.releaseAgain(this, request, lastToken);
            sendWaiting();
        }
    }

    // ================================================================ events: time

    /** Renews the leases for which that is due. */
    public void visited() {
        Hold held = hold;
        Request leased = leased();
        if (leased != null) {
            Renewing.renewIfDue(this, leased, effects.now());
        }
        kind.visit(this);
        if (isLeased() || leased != null) {
            pumpUnless(held);
        }
    }

    /** Does what is due. */
    public void tick() {
        long now = effects.now();
        for (Request request : requests.due(now, commandTimeout())) {
            tick(request, now);
        }
        Request leased = leased();
        if (leased != null && requests.many() != null) {
            tick(leased, now);
        }
        Asking.pollIfDue(this, now);
        Withdrawing.nudgeIfDue(this, now);
        kind.tick(this, now);
        if (now >= outage.patienceEnds(effects.timing().outagePatience())) {
            Waiting.failAll(this, outage.unknown(effects.lock(), "for as long as the client's outage patience"));
        }
        lostHolds = lostHolds.looked(now);
        pump();
    }

    private void tick(Request request, long now) {
        if (request.isOverdue(now, commandTimeout())) {
            unanswered(request);
        } else if (request.hasRecalledInVain(now)) {
            Waiting.refuse(this, request, Waiter.Denied.REFUSED);
        }
        switch (request.state) {
            case WANTED -> Asking.tick(this, request, now);
            case HELD -> {
                Renewing.tick(this, request, now);
                kind.planVisit(this, request);
                request.changed();
            }
            case LOST -> Releasing.tickLost(this, request, now);
            case RELEASING -> Releasing.tick(this, request, now);
            case WITHDRAWING -> Withdrawing.tick(this, request, now);
        }
    }

    /** Ends the wait for an answer after the command timeout. A later answer is an event like any other. */
    private void unanswered(Request request) {
        Pending pending = request.pending();
        noAnswer(pending.awaitedSince, null);
        pending.awaited = null;
        pending.failures++;
        pending.dueAt = effects.now();
        Releasing.leaveReleaser(this, request);
        if (request.state == State.WANTED && request.tryOnly) {
            Waiter.Failed failed = new Waiter.Failed(outage.unknown(effects.lock(), "within its command timeout"));
            Waiting.refuse(this, request, failed);
        }
    }

    // ================================================================ local and remote meet

    /**
     * Does what {@link #pump} does, unless that hold is still here: then nothing else has changed. Very many holds may
     * be renewed, and looking at the waiters would fetch one more object for each.
     */
    private void pumpUnless(@Nullable Hold held) {
        if (hold != held || hold == null) {
            pump();
        }
    }

    /** Asks the backend for exactly what is wanted here. */
    private void pump() {
        Waiting.dismissSome(this);
        Taking.serve(this);
        kind.ask(this);
        Asking.planPoll(this);
        sendWaiting();
    }

    /** Sends the commands that waited in line, as far as there is room for them. */
    private void sendWaiting() {
        ManyRequests many = requests.many();
        if (many == null) {
            return;
        }
        many.begin();
        for (Request next; (next = many.next(commandTimeout())) != null; ) {
            if (next.state == State.WANTED) {
                Asking.askNow(this, next);
            } else {
                Withdrawing.sendNow(this, next);
            }
        }
    }
}
