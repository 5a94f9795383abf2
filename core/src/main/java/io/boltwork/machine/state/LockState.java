// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Extension;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockUse;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Command;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Signal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock in one client: its holder here, its waiters here, and its requests at the backend. The {@link
 * LockMachine} and its parts change it. Any thread may look at the holds; everything else belongs to the machine.
 */
public abstract class LockState {

    /** A slice is at least this many round trips long: a shorter one would spend more time on handovers than on use. */
    private static final int SLICE_ROUND_TRIPS = 4;

    private static final long LONGEST_SLICE = TimeUnit.MILLISECONDS.toNanos(100);

    public final Effects effects;
    public final Kind kind;
    public final Waiters waiters;
    public final Requests requests = new Requests();

    /** The request for the first of the waiters that share one. */
    @Nullable
    public Request wanted;

    public volatile @Nullable Hold hold;

    /** Created by {@link #seldomUsed}; {@code null} if it was never needed. */
    private @Nullable SeldomUsed seldomUsed;

    public volatile LostHolds lostHolds = LostHolds.NONE;

    /** Created by {@link #retention()}; {@code null} if the lock was never retained or wanted back. */
    @Nullable
    public Retention retention;

    /** Extensions and verifications under way, and the promises of their outcomes. */
    public Map<Command<?>, Promise<Extension>> extensions = Collections.emptyMap();

    /** The time at which the oldest of the FIFO requests asks again, for all of them. */
    public long pollAt = Ticker.NEVER;

    public LockOutage outage = LockOutage.NONE;

    /** The number of times that the backend, or a hold here, has shown that the lock is taken. It may overflow. */
    public int refusals;

    /** Created by {@link #countUse}; {@code null} while there is nothing to count, as for a lock that is only held. */
    private @Nullable LockUse use;

    /** The waits, in microseconds, of callers that were granted the lock before {@link #use} was created. */
    private int firstWaits;

    private long roundTrip;
    public long lastEvent;
    public boolean closed;

    public LockState(Effects effects, Kind kind) {
        this.effects = effects;
        this.kind = kind;
        this.waiters = kind.newWaiters();
    }

    // ================================================================ requests

    @Nullable
    public Request find(@Nullable String id) {
        return requests.get(effects.number(id));
    }

    public Request newRequest(Waiter waiter) {
        long number = effects.newRequest();
        boolean isQuiet = retention != null && effects.now() < retention.quietUntil;
        boolean mayRetain = waiter.terms.retentionNanos > 0 && !isQuiet;
        Request request = Request.of(effects, mayRetain ? -number : number, waiter, effects.now());
        requests.add(request, effects.timing().underWay());
        return request;
    }

    /** Returns whether that request is known here. */
    public boolean knows(String request) {
        return find(request) != null;
    }

    /** Returns whether the lock is being asked for. */
    public boolean isWanted() {
        return kind.first(this) != null || waiters.hasOwnRequests();
    }

    /** Returns how many callers wait. Other threads than that of the machine get a number that may be a little old. */
    public int waiting() {
        return waiters.size();
    }

    // ================================================================ counting

    /** Returns what the lock is used for; {@code null} if nothing was counted. For the lock's mailbox. */
    @Nullable
    public LockUse use() {
        return use;
    }

    /** Returns what the lock is used for. Begins to count. */
    public LockUse countUse() {
        LockUse counted = use;
        if (counted == null) {
            counted = new LockUse(lastEvent, TimeUnit.MICROSECONDS.toNanos(firstWaits));
            use = counted;
        }
        return counted;
    }

    /** Counts a wait that has ended. */
    public void countWait(Waiter waiter, Waiter.WaitResult result) {
        Hold granted = result instanceof Waiter.Granted grant ? grant.hold() : null;
        long nanos = Math.max(0, (granted == null ? lastEvent : granted.since) - waiter.since);
        if (use == null && granted != null) {
            firstWaits = (int) Math.min(Integer.MAX_VALUE, firstWaits + TimeUnit.NANOSECONDS.toMicros(nanos));
        } else {
            countUse().waited(nanos);
        }
    }

    // ================================================================ holds

    /** Returns the exclusive hold here; {@code null} if there is none. For any thread. */
    @Nullable
    public Hold hold() {
        return hold;
    }

    /** Returns the hold of a request; {@code null} if there is none. For any thread. */
    @Nullable
    public Hold heldBy(Request request) {
        Hold held = hold;
        return held != null && held.request == request ? held : kind.shared(request.number);
    }

    /** Returns all holds here. For any thread. */
    public Collection<Hold> holds() {
        Hold held = hold;
        Collection<Hold> shared = kind.shared();
        if (held == null || shared.isEmpty()) {
            return held == null ? shared : List.of(held);
        }
        List<Hold> all = new ArrayList<>(shared);
        all.add(0, held);
        return all;
    }

    /** Returns the holds of the owners in this client. For the lock's mailbox. */
    public Collection<Hold> owners() {
        Collection<Hold> holds = holds();
        return holds.isEmpty()
                ? holds
                : holds.stream().flatMap(held -> held.owners().stream()).toList();
    }

    /**
     * Returns the hold of an owner, valid or lost and not unwound; {@code null} if it has none. Does not find readers.
     * For any thread.
     */
    @Nullable
    public Hold holdOf(Object owner) {
        Hold held = hold;
        if (held != null && owner.equals(held.owner) && !held.isOver() && !held.isReader()) {
            return held;
        }
        return lostHolds.of(owner, false);
    }

    /** Returns whether a hold here has not ended, or was lost and is remembered. For any thread. */
    public boolean remembers(Hold owner) {
        Hold held = heldBy(owner.request);
        return held != null && held.includes(owner) || lostHolds.contains(owner);
    }

    /** Returns the lost holds whose owners have not unwound. */
    public LostHolds lostHolds() {
        return lostHolds;
    }

    /**
     * Returns the holds that owners have to leave. If the client is closed, the owners learn of the loss when they
     * leave.
     */
    public LostHolds holdsToLeave() {
        return isHeld() ? lostHolds.with(owners(), effects.now()) : lostHolds;
    }

    // ================================================================ retention

    /** Returns what is known of the lock's retention. Creates it if there is nothing. */
    public Retention retention() {
        Retention made = retention;
        if (made == null) {
            made = new Retention();
            retention = made;
        }
        return made;
    }

    /** Returns the request whose lease is retained; {@code null} if there is none. */
    @Nullable
    public Request retained() {
        return retention == null ? null : retention.request;
    }

    /** Returns whether the lock, or a part of it, has an owner here. For any thread. */
    public boolean isHeld() {
        return hold != null || !kind.shared().isEmpty();
    }

    /** Returns the request that owns the whole lock, for an owner here or retained; {@code null} if there is none. */
    @Nullable
    public Request leased() {
        Hold held = hold;
        return held == null ? retained() : held.request;
    }

    /** Returns whether the client owns the lock, or a part of it, for an owner here or retained. */
    public boolean isLeased() {
        return leased() != null || !kind.shared().isEmpty();
    }

    /** Returns the requests that own the lock, or parts of it. */
    public List<Request> leases() {
        Request leased = leased();
        Collection<Hold> shared = kind.shared();
        if (shared.isEmpty()) {
            return leased == null ? List.of() : List.of(leased);
        }
        List<Request> all = new ArrayList<>();
        if (leased != null) {
            all.add(leased);
        }
        shared.forEach(held -> all.add(held.request));
        return all;
    }

    // ================================================================ times

    public long commandTimeout() {
        return effects.timing().commandTimeout();
    }

    /** Returns for how long a lock that is granted now may be handed over inside the client. */
    public long slice() {
        return Math.max(effects.timing().slice(), Math.min(LONGEST_SLICE, SLICE_ROUND_TRIPS * roundTrip));
    }

    /** Records the round trip of a command. */
    public void measured(long nanos) {
        roundTrip = roundTrip == 0 ? nanos : roundTrip + (nanos - roundTrip) / 8;
    }

    /**
     * Begins or continues an outage: the backend gave no answer to a command that was sent at that time. If this client
     * did not run for longer than the command timeout, the answer may have arrived meanwhile, and the patience of
     * callers does not count that time.
     */
    public final void noAnswer(long sent, @Nullable BackendException cause) {
        outage = outage.failed(Math.max(sent, effects.now() - commandTimeout()), cause);
    }

    /** Ends the outage, because the backend has answered. */
    public void endOutage() {
        if (outage != LockOutage.NONE) { // each write of a reference is work for the garbage collector
            outage = LockOutage.NONE;
        }
    }

    // ================================================================ rare state

    /** Returns the state that most locks never need. Creates it if there is none. */
    public SeldomUsed seldomUsed() {
        SeldomUsed made = seldomUsed;
        if (made == null) {
            made = new SeldomUsed();
            seldomUsed = made;
        }
        return made;
    }

    /** Returns the waiters that wait for signals of conditions, in order of arrival. */
    public List<Waiter> awaiting() {
        return seldomUsed == null ? List.of() : List.copyOf(seldomUsed.awaiting);
    }

    /** Returns whether a waiter waits for a signal. */
    public boolean isAwaiting(Waiter waiter) {
        return seldomUsed != null && seldomUsed.awaiting.contains(waiter);
    }

    /** Removes a waiter from those that wait for a signal. Returns whether it was among them. */
    public boolean stopsAwaiting(Waiter waiter) {
        return seldomUsed != null && seldomUsed.awaiting.remove(waiter);
    }

    /** Removes and returns the signals that were given and not sent. */
    public List<Signal> takeSignals() {
        if (seldomUsed == null || seldomUsed.signals.isEmpty()) {
            return List.of();
        }
        List<Signal> taken = List.copyOf(seldomUsed.signals);
        seldomUsed.signals.clear();
        return taken;
    }

    /** Returns whether signals were given that have not been sent. */
    public boolean hasSignals() {
        return seldomUsed != null && !seldomUsed.signals.isEmpty();
    }

    /** Returns the dismissal that is under way; {@code null} if there is none. */
    public SeldomUsed.@Nullable Dismissal dismissal() {
        return seldomUsed == null ? null : seldomUsed.dismissal;
    }

    /** Returns the time of the next nudge; {@link Ticker#NEVER} if none is planned. */
    public long nudgeAt() {
        return seldomUsed == null ? Ticker.NEVER : seldomUsed.nudgeAt;
    }

    /**
     * Cancels the nudge, because there is news of the lock: the client that is responsible for it now looks after it.
     */
    public void cancelNudge() {
        if (seldomUsed != null) {
            seldomUsed.nudgeAt = Ticker.NEVER;
        }
    }

    // ================================================================ times of the machine

    /** Returns when the renewer must visit the lock; {@link Ticker#NEVER} while there is nothing to renew. */
    public long visitAt() {
        Request leased = leased();
        long at = kind.visitAt();
        return leased == null ? at : Math.min(at, RenewalClock.visitAt(leased, commandTimeout()));
    }

    /**
     * Returns the shortest lease as the renewer counts it, in nanoseconds. The renewer visits the lock about every
     * third of it.
     */
    public long watchedLease() {
        Request leased = leased();
        long shared = kind.watchedLease();
        return leased == null ? shared : Math.min(shared, RenewalClock.watchedNanos(leased));
    }

    /** Returns by how much the renewal of a lease is late, in nanoseconds. */
    public long renewalLag() {
        long lag = 0;
        for (Request leased : leases()) {
            lag = Math.max(lag, RenewalClock.renewalLag(leased, effects.now()));
        }
        return lag;
    }

    /** Returns when {@link LockMachine#tick()} must come next; {@link Ticker#NEVER} if nothing will be due. */
    public long wakeAt() {
        long at = Math.min(Math.min(nudgeAt(), pollAt), lostHolds.lookAt());
        at = Math.min(at, requests.wakeAt(effects.now(), commandTimeout()));
        Request leased = leased();
        if (leased != null && requests.many() != null) {
            at = Math.min(at, leased.wakeAt(commandTimeout()));
        }
        if (retention != null) {
            at = Math.min(at, retention.wakeAt(effects.now()));
        }
        at = Math.min(at, kind.wakeAt(this));
        if (dismissal() != null) {
            at = Math.min(at, effects.now());
        }
        if (outage != LockOutage.NONE && !waiters.isEmpty()) {
            at = Math.min(at, outage.patienceEnds(effects.timing().outagePatience()));
        }
        return at;
    }

    // ================================================================ the end

    /** Returns whether nothing would be lost by forgetting this machine. */
    public boolean isIdle() {
        // after a close the nudge is not needed: waiters ask again when the lease that they were told of ends
        return !isHeld()
                && (retention == null || closed || retention.isOver(effects.now()))
                && waiters.isEmpty()
                && requests.isEmpty()
                && lostHolds.isEmpty()
                && (closed || nudgeAt() == Ticker.NEVER);
    }

    /** Returns when the lock was used last. */
    public long lastEvent() {
        return lastEvent;
    }

    public boolean isClosed() {
        return closed;
    }

    public ClientClosedException closed(String what) {
        return new ClientClosedException("The lock '" + effects.lock() + "' " + what + ": its client is closed");
    }

    @Override
    public String toString() {
        return "lock '" + Printable.text(effects.lock()) + "': hold " + hold + ", " + waiters.size()
                + " waiting, requests " + requests;
    }
}
