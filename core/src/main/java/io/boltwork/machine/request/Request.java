// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static io.boltwork.spi.rules.LeaseTimes.MILLI;

import io.boltwork.LeaseLoss;
import io.boltwork.LockKind;
import io.boltwork.machine.LockMachine;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.rules.LeaseTimes;
import io.boltwork.spi.rules.ServerClock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lock at the backend, from the first acquire to the last withdrawal. Belongs to its
 * {@link LockMachine}. Other threads only read the deadline. Times are the client's, in nanoseconds, unless they are
 * called server times.
 */
public final class Request {

    /** The states of a request. docs/inside/synchronization.md shows the transitions. */
    public enum State {
        /** Asks for the lock and waits for it. */
        WANTED,
        /** Owns the lock. */
        HELD,
        /** Owned the lock; its owner here has not unwound yet. */
        LOST,
        /** Gives the lock back and waits for the answer. */
        RELEASING,
        /** Is no longer wanted, and is being withdrawn. */
        WITHDRAWING
    }

    public final LockContext context;

    /** The number of the request among those of the client. */
    public final long number;

    public final LockTerms terms;
    public final boolean tryOnly;

    public State state;

    /** Commands and answers about the request; {@code null} while its lease is merely held. */
    private @Nullable Pending pending;

    /**
     * The waiter that a request of its own is for, until it is granted; {@code null} if the request is for the first
     * waiter.
     */
    @Nullable
    public Waiter waiter;

    /** Notified of each change; {@code null} while there are only a few requests. */
    @Nullable
    public RequestObserver observer;

    /** True if the server has said that it knows the request. */
    public boolean known;

    /** True if the server knows the request, and nothing has happened since that may have made the server forget it. */
    public boolean queuedAtServer;

    /** The latest time until which a command sent so far keeps others out, if the server executed it at once. */
    long takesEffectUntil;

    // ---- holding

    /** The time at which the hold counts as lost, without an open tacit renewal; {@link RenewalClock} writes it. */
    volatile long deadline = Ticker.NEVER;

    /** The time before which the lease does not end, according to the server's answers. */
    long leaseEnd;

    /**
     * The time at which others can have the lock if the hold simply ends: lease and takeover delay, counted from the
     * latest time at which they can have begun.
     */
    public long closedUntil;

    public final HoldBounds bounds;

    /** The known facts about the part of a shared lock; {@code null} for a plain lock. */
    public final @Nullable SharedPart part;

    /** True if the owner has extended the lease. */
    public boolean extended;

    public long firstToken;
    public long lastToken;

    /** True if the server has confirmed the whole lease, on this connection. Otherwise the server is asked soon. */
    public boolean confirmed;

    /** The time at which the lease is to be renewed. */
    public long renewAt;

    /** True if the hold can no longer be released, and listeners have been told. */
    public boolean abandoned;

    /** The time at which the open renewal was begun, or has failed; {@link Ticker#NEVER} if there is none. */
    long renewing = Ticker.NEVER;

    /** The same for a renewal whose success is not reported; {@link RenewalClock} writes it. */
    volatile long tacit = Ticker.NEVER;

    /** The number of renewals that were sent since the last success; 127 for more. */
    public byte renewals;

    /** True if the latest of them has failed. */
    public boolean renewalFailed;

    /** The time at which it was granted. */
    public long began;

    private Request(LockContext context, long number, LockTerms terms, boolean tryOnly, State state) {
        this.context = context;
        this.number = number;
        this.terms = terms;
        this.tryOnly = tryOnly;
        this.state = state;
        this.bounds = HoldBounds.of(terms);
        this.part = context.kind() == LockKind.LOCK ? null : new SharedPart(terms.permits);
    }

    /** Creates a request for {@code waiter} and, unless that has a request of its own, for the waiters behind it. */
    public static Request of(LockContext context, long number, Waiter waiter, long now) {
        Request request = new Request(context, number, waiter.terms, waiter.tryOnly, State.WANTED);
        if (waiter.hasOwnRequest()) {
            request.waiter = waiter;
        }
        Pending pending = request.pending();
        pending.since = now;
        pending.firstSent = now;
        return request;
    }

    /** Creates a request to be withdrawn, which is unknown here and which the server may know. */
    public static Request unwanted(LockContext context, long number, long lastToken) {
        Request request = new Request(context, number, LockTerms.DEFAULTS, false, State.WITHDRAWING);
        request.lastToken = lastToken;
        request.known = true;
        return request;
    }

    public String lock() {
        return context.lock();
    }

    /** Returns the id that the backend knows the request by. */
    public String id() {
        return RequestId.of(context.client(), number);
    }

    /** Returns the part of the lock that the request wants or holds. */
    public Share share() {
        return context.share(part == null ? 1 : part.permits);
    }

    /** Turns the writer into a reader. */
    public void downgrade() {
        if (part != null) {
            part.permits = 1;
        }
    }

    /** Returns whether the writer goes on as a reader. */
    public boolean hasDowngraded() {
        return part != null && part.permits != terms.permits;
    }

    /** Returns what commands about the hold say of the part that is held. */
    public HeldShare held() {
        return part == null ? HeldShare.WHOLE : part.of(share());
    }

    /** Returns the last token of the hold's block. */
    public long blockEnd() {
        return part == null ? firstToken + LockBackend.TOKENS_PER_HOLD - 1 : part.blockEnd;
    }

    // ================================================================ commands and answers

    /** Returns what is pending about the request, for the lock's machine, which may change it. */
    public Pending pending() {
        changed();
        Pending open = pending;
        if (open == null) {
            open = new Pending();
            pending = open;
        }
        return open;
    }

    /** Tells the observer, if there is one, that the times of the request have changed. */
    public void changed() {
        if (observer != null) {
            observer.changed();
        }
    }

    /** Returns what is pending about the request; {@code null} if nothing is. */
    @Nullable
    public Pending pendingIfAny() {
        return pending;
    }

    /** Keeps the command that is being sent, until it is answered. */
    public void sent(Command<?> command, long now) {
        pending().sent(command, now);
        if (observer != null) {
            observer.sent();
        }
    }

    /** Returns whether a command about the request is under way, or about to be repeated. */
    public boolean isUnderWay() {
        return pending != null
                && state != State.HELD
                && state != State.LOST
                && (pending.awaited != null || pending.failures > 0 && pending.dueAt != Ticker.NEVER);
    }

    /**
     * Forgets what the server has confirmed, because the connection was replaced at that time while the request waits.
     */
    public void connectionReplaced(long at) {
        Pending open = pending();
        if (open.answered == null && open.firstSent <= at) {
            open.firstSent = Ticker.NEVER;
        }
        queuedAtServer = false;
    }

    /** Plans the repetition of an unanswered command for that time, unless an answer is awaited. */
    public void repeatsAt(long at) {
        if (!isAwaiting()) {
            pending().dueAt = at;
        }
    }

    /** Stops awaiting an answer, because the connection was replaced. A try still awaits it. */
    public void givesUpAnswer(long now) {
        if (isTry()) {
            return;
        }
        Pending open = pending();
        open.awaited = null;
        open.failures = 0;
        open.dueAt = state == State.WANTED ? Ticker.NEVER : now;
    }

    /** Returns whether an answer is awaited. */
    public boolean isAwaiting() {
        return pending != null && pending.awaited != null;
    }

    /** Returns whether the answer to that command is awaited. */
    public boolean isAwaiting(Command<?> command) {
        return pending != null && pending.awaited == command;
    }

    /** Records the answer to that command. Returns whether it was awaited. */
    public boolean answeredTo(Command<?> command) {
        boolean current = isAwaiting(command);
        if (current) {
            pending().awaited = null;
        }
        return current;
    }

    public boolean isOverdue(long now, long commandTimeout) {
        return (isAwaiting() || isTry()) && now >= patienceEnds(pending(), commandTimeout);
    }

    private boolean isTry() {
        return tryOnly && state == State.WANTED;
    }

    /** Returns when the awaited command counts as unanswered. A try ends then, even in a pause between its commands. */
    private long patienceEnds(Pending open, long commandTimeout) {
        return (isTry() ? open.since : open.awaitedSince) + commandTimeout;
    }

    /** Returns whether a command that was not answered, or was planned for later, must be sent now. */
    public boolean isDue(long now) {
        return pending != null && pending.awaited == null && now >= pending.dueAt;
    }

    /** Returns whether this is a try that has recalled a retained lock, which was not given back in time. */
    public boolean hasRecalledInVain(long now) {
        return isTry() && queuedAtServer && isDue(now);
    }

    /** Returns how many acquires were written and not answered: their bytes may still be executed. */
    public int unanswered() {
        return pending == null ? 0 : pending.unanswered;
    }

    /** Counts down the open acquires, since one was answered or will never be executed. */
    public void acquireEnded() {
        if (unanswered() > 0) {
            pending().unanswered--;
            dropPendingIfHeld();
        }
    }

    /** Drops what was pending if nothing is, and the lease is merely held. */
    private void dropPendingIfHeld() {
        if (state == State.HELD && pending != null && pending.isOver()) {
            pending = null;
        }
    }

    /** Returns the not-after of a command that is sent now: a server time. */
    public long notAfter(ServerClock clock, long now, long commandTimeout) {
        long millis = LeaseTimes.effectMillis(commandTimeout, terms.leaseMillis);
        long stale = LeaseTimes.notAfter(clock, now, millis);
        if (pending != null) { // it only matters while an acquire may still be executed
            pending.hasEffectUntil(stale, clock.run(), now + millis * MILLI);
        }
        return stale;
    }

    /** Extends the time in which the request may own the lock, because a command asks for a lease of this length. */
    public void reaches(long now, long leaseMillis) {
        takesEffectUntil = Math.max(takesEffectUntil, now + (leaseMillis + terms.takeoverMillis) * MILLI);
    }

    /** Extends the time in which the request may own the lock, because a command prolongs its lease. */
    public void prolongs(long now, long leaseMillis) {
        reaches(now, leaseMillis);
        closedUntil = Math.max(closedUntil, now + (leaseMillis + terms.takeoverMillis) * MILLI);
    }

    /** Returns whether bytes of an acquire may still be executed at that server, at that time of its clock. */
    public boolean isTainted(ServerTime server, long now) {
        return unanswered() > 0 && staleIn(server, now) >= 0;
    }

    /** Returns for how much longer the commands sent may take effect. */
    public long staleIn(ServerTime server, long now) {
        return pending().effectEndsIn(server, now);
    }

    /** Returns the time from which no command that was sent can make the request the owner, or keep it the owner. */
    public long nothingLeft(long now, long commandTimeout) {
        return Math.max(now + leaseNanos(), takesEffectUntil) + commandTimeout;
    }

    // ================================================================ holding

    /** Returns when the hold counts as lost; {@link Ticker#NEVER} until it is held. For any thread. */
    public long deadline() {
        return RenewalClock.deadline(this);
    }

    /**
     * Returns whether a hold may begin if the request is the owner until then. The lock must stay taken for the
     * shortest hold, even if this client dies at once. A claim is seldom long enough, and neither is a late answer.
     */
    public boolean suffices(long until, long now, boolean forWholeLease) {
        return now < until && (until - now >= terms.minHoldNanos || forWholeLease && !terms.isRenewed);
    }

    /**
     * Begins to hold the lock at the server.
     *
     * @param forWholeLease whether the server has answered for the whole lease, not for a claim
     */
    public void startHold(long until, long token, boolean forWholeLease, long now) {
        state = State.HELD;
        long claimed = pending().claimMillis * MILLI;
        pending().awaited = null;
        dropPendingIfHeld();
        leaseEnd = until;
        firstToken = token;
        lastToken = token;
        if (part != null) {
            part.startHold(token);
        }
        began = now;
        long whole = leaseNanos();
        long longest = Math.min(whole, LockBackend.CLAIM_MILLIS * MILLI);
        long granted = forWholeLease ? whole : claimed == 0 ? longest : Math.min(longest, claimed);
        closedUntil = now + granted + terms.takeoverMillis * MILLI;
        renewAt = granted < longest ? now : until - granted + granted / 3; // a short claim at once
        if (!terms.isRenewed) {
            bounds.fixedEnd = until - granted + whole;
        }
        confirmed = false; // any claim is confirmed: if it lapsed, the server would take this client for dead
        if (forWholeLease) {
            // the renewer comes up to a ninth later
            renewAt = until - granted + RenewalClock.watchedNanos(this) * 2 / 9;
            confirmed = true;
        }
    }

    /** Gives the hold to an owner in this client. Its bounds count from now on. */
    public void occupied(long now) {
        if (terms.maxHoldNanos != Ticker.NEVER) {
            bounds.maxEnd = now + terms.maxHoldNanos;
        }
        if (terms.minHoldNanos > 0) {
            bounds.minEnd = now + terms.minHoldNanos;
        }
        waiter = null;
        RenewalClock.start(this);
    }

    /** Returns for how much longer the lock may be held at all; {@link Ticker#NEVER} if there is no limit. */
    public long bound(long now) {
        return bounds.maxEnd == Ticker.NEVER ? Ticker.NEVER : bounds.maxEnd - now;
    }

    /** Returns the reason for a loss at the deadline. */
    public LeaseLoss.Reason reasonOfEnd() {
        return RenewalClock.reasonOfEnd(this);
    }

    /** Returns for how many milliseconds the lock stays closed if it is released now. */
    public long keepMillis(long now) {
        return Math.max(millisUntil(bounds.minEnd, now), millisUntil(bounds.quietEnd, now));
    }

    /** Returns the milliseconds until {@code end}; 0 if it has passed or is {@link Ticker#NEVER}. */
    private static long millisUntil(long end, long now) {
        return end == Ticker.NEVER || end <= now
                ? 0
                : (end - now) / MILLI + 2; // the server truncates times to whole milliseconds
    }

    /** Begins the quiet time: the lock is released although its owner has not unwound. */
    public void quiet(long now) {
        if (terms.takeoverMillis > 0) {
            bounds.quietEnd = now + terms.takeoverMillis * MILLI;
        }
    }

    /** Keeps the quiet time: the lock is released after its lease has ended. */
    public void quietAfterLease() {
        if (terms.takeoverMillis > 0 && bounds.quietEnd == Ticker.NEVER) {
            bounds.quietEnd = closedUntil;
        }
    }

    /** Returns the examination since the machine was suspended; {@code null} if there is none. */
    @Nullable
    public MissedTime missedTime() {
        return pending == null ? null : pending.missedTime;
    }

    public long leaseNanos() {
        return terms.leaseMillis * MILLI;
    }

    // ================================================================ counting after an outage

    /** Begins to count the fate of the hold, because the connection was replaced. */
    public void recovers(RecoveryTally counted) {
        settle(RecoveryTally::done);
        counted.addOutcome();
        pending().recovery = counted;
        pending().forgotten = false;
    }

    /** Marks the hold as forgotten by the server. It is being restored. */
    public void forgotten() {
        pending().forgotten = true;
    }

    /** Counts the hold as known to the server. */
    public void verified() {
        if (pending != null) {
            settle(pending.forgotten ? RecoveryTally::restored : RecoveryTally::kept);
            dropPendingIfHeld();
        }
    }

    /** Counts an outcome, if the fate of the hold is being counted. */
    public void settle(Consumer<RecoveryTally> outcome) {
        RecoveryTally counted = pending == null ? null : pending.recovery;
        if (counted != null) {
            pending().recovery = null;
            outcome.accept(counted);
        }
    }

    // ================================================================ waking

    /** Returns when something has to be done about the request. */
    public long wakeAt(long commandTimeout) {
        return switch (state) {
            case WANTED -> retryAt(pending(), commandTimeout);
            case HELD -> RenewalClock.wakeAt(this, commandTimeout);
            case LOST, RELEASING, WITHDRAWING -> Math.min(pending().giveUpAt, retryAt(pending(), commandTimeout));
        };
    }

    private long retryAt(Pending open, long commandTimeout) {
        long at = open.awaited == null ? open.dueAt : Ticker.NEVER;
        return open.awaited == null && !isTry() ? at : Math.min(at, patienceEnds(open, commandTimeout));
    }

    /** Returns whether the request is the right one for that waiter. */
    public boolean serves(Waiter first) {
        return tryOnly == first.tryOnly && terms.equals(first.terms);
    }

    @Override
    public String toString() {
        return id() + " " + state;
    }
}
