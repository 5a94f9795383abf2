// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.Lease;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import org.jspecify.annotations.Nullable;

/** One local wish for a lock. The lock's machine decides it, once. */
public final class Waiter {

    public final LockTerms terms;

    /** True if the caller does not want to wait. */
    public final boolean tryOnly;

    /** The future owner, as in {@link Hold#owner}; {@code null} if the hold will belong to its handle. */
    public final @Nullable Object owner;

    /** The thread that asks. */
    public final Thread asker = Thread.currentThread();

    /** True if the caller wants a {@link Lease} and not a {@code lock}. */
    final boolean asLease;

    /** The wait for a signal that precedes the wait for the lock; {@code null} if there is none. */
    public final @Nullable SignalWait signalWait;

    public final Promise<WaitResult> outcome = new Promise<>();

    /**
     * True if an error has cut short the caller, which will not take a hold. A field, so that writing it needs no call.
     */
    public volatile boolean forsaken;

    /** The number of refusals of the lock before the wait began. Belongs to the machine. */
    public int refusalsBefore;

    /** The time at which the wait began; belongs to the machine. */
    public long since;

    /** The place in the order of arrival among the waiters of a shared lock; belongs to the machine. */
    public long arrival;

    /** True if the caller can execute a command while it waits. */
    public boolean executes;

    /** True if the caller has cancelled the wait, perhaps before the waiter came to the machine. */
    public volatile boolean isCancelled;

    /** The request for this waiter alone (FIFO), or {@code null}; belongs to the machine. */
    @Nullable
    public Request request;

    /** The waiter before this one, while it waits; belongs to the machine. */
    @Nullable
    public Waiter ahead;

    /** The waiter after this one, while it waits; belongs to the machine. */
    @Nullable
    public Waiter behind;

    private Waiter(
            LockTerms terms,
            boolean tryOnly,
            @Nullable Object owner,
            boolean asLease,
            @Nullable SignalWait signalWait) {
        this.terms = terms;
        this.tryOnly = tryOnly;
        this.owner = owner;
        this.asLease = asLease;
        this.signalWait = signalWait;
    }

    /** Creates a waiter for an owner, or for a handle without one. */
    public static Waiter of(@Nullable Object owner, LockTerms terms, boolean tryOnly, boolean asLease) {
        return new Waiter(terms, tryOnly, owner, asLease, null);
    }

    /** Creates a waiter for an owner, which waits for a signal first. */
    public static Waiter ofSignal(Object owner, LockTerms terms, SignalWait signalWait) {
        return new Waiter(terms, false, owner, false, signalWait);
    }

    /** Returns whether the lock was refused since then, if it has been refused that often by now. */
    public boolean isRefusedBy(int refusals) {
        return refusals - refusalsBefore > 0;
    }

    /** Returns whether the waiter has a request of its own. */
    public boolean hasOwnRequest() {
        return terms.isFifo && !tryOnly || signalWait != null;
    }

    /** Returns how many levels of its hold the caller will have. */
    int levels() {
        return signalWait == null ? 1 : signalWait.levels;
    }

    /** Creates a waiter for a handle that has no other owner. */
    public static Waiter ofHandle(LockTerms terms, boolean tryOnly) {
        return of(null, terms, tryOnly, true);
    }

    /** Creates a waiter that wants the same once more. */
    public Waiter again() {
        return new Waiter(terms, tryOnly, owner, asLease, signalWait);
    }

    /** The outcome of a wait. */
    public sealed interface WaitResult {}

    /** The lock is held. */
    public record Granted(Hold hold) implements WaitResult {}

    /** The lock is not held, and nothing is wrong. */
    public enum Denied implements WaitResult {
        /** The lock is held already, or other waiters were first. */
        REFUSED,
        /** The caller no longer wants the lock. */
        CANCELLED
    }

    /** Returns the outcome as listeners are told of it. */
    public static LockListener.Outcome outcomeOf(WaitResult result) {
        if (result instanceof Granted) {
            return LockListener.Outcome.GRANTED;
        }
        if (result instanceof Failed) {
            return LockListener.Outcome.FAILED;
        }
        return result == Denied.REFUSED ? LockListener.Outcome.REFUSED : LockListener.Outcome.CANCELLED;
    }

    /** The lock is not held, because something is wrong. */
    public record Failed(LockException cause) implements WaitResult {}
}
