// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.Printable;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One outermost acquisition by a thread or a handle: its nesting levels, and whether it is still held. Thread-safe. */
public class Hold implements BodyScope.Held {

    /*
     * One word decides between nesting, release and loss. It has two counts and three bits.
     *
     *   counts > 0, no bit   held
     *   counts = 0, no bit   ended cleanly; the word no longer changes
     *   UNVERIFIED           held, but not valid: the machine was suspended, and the server is asked; also with LOSING
     *   LOSING               the loss is being delivered (with INTERRUPT, an interrupt); a release waits for its end
     *   LOST                 lost; the counts go down to 0 as the owner unwinds
     *
     * The request has the deadline. A hold whose deadline has passed is lost even before the bit is set, so methods
     * that act on the word set the bit first.
     */
    private static final long LOCK = 1L;
    private static final long HANDLE = 1L << 31;
    private static final long COUNT = (1L << 30) - 1;
    private static final long UNVERIFIED = 1L << 61;
    private static final long LOSING = 1L << 62;
    private static final long LOST = Long.MIN_VALUE;
    private static final long COUNTS = UNVERIFIED - 1;

    private static final AtomicLongFieldUpdater<Hold> WORD = AtomicLongFieldUpdater.newUpdater(Hold.class, "word");

    @SuppressWarnings("rawtypes") // the updater of a generic field
    private static final AtomicReferenceFieldUpdater<Hold, CompletableFuture> LOSS_FUTURE =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, CompletableFuture.class, "lossFuture");

    private static final AtomicReferenceFieldUpdater<Hold, Object> TAKER =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Object.class, "taker");

    private static final AtomicIntegerFieldUpdater<Hold> OWED =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "owed");

    private static final AtomicReferenceFieldUpdater<Hold, HandleRef> RIGHTS =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, HandleRef.class, "rights");

    /** Replaces the taker of a hold that was given up before its caller had taken it. */
    private static final Object GIVEN_UP = new Object();

    // The bits of `owed`: a level by lock must be left; a level by handle; the end of the hold must be posted; a level
    // must be left for a handle that says that its release was cut short.
    public static final int OWED_LOCK = 1;
    public static final int OWED_HANDLE = 2;
    public static final int OWED_RELEASE = 4;
    public static final int OWED_RIGHT = 8;

    public final Request request;
    public final long token;

    /** The owner: a thread, a {@link OwnerRef}, or {@code null} if the hold belongs to its handle. */
    public final @Nullable Object owner;

    /** The thread that asked for the hold. */
    public final Thread asker;

    private volatile long word;
    private volatile @Nullable CompletableFuture<LeaseLoss> lossFuture;

    /** The time when the hold began, by the client's clock. */
    public final long since;

    /** The waiter whose caller has not taken the hold yet; {@code null} once it has; or {@link #GIVEN_UP}. */
    private volatile @Nullable Object taker;

    /**
     * The steps, as bits, that a caller owes because an error has cut short its leaving. The machine does them instead.
     * A field, because the stack may be full and writing a field needs no call.
     */
    public volatile int owed;

    private volatile @Nullable LeaseLoss loss;

    /** The newest of the handles' rights, each of which releases one level. */
    private volatile @Nullable HandleRef rights;

    /** The outcome of the release, once there is one. */
    private @Nullable Promise<Optional<LeaseLoss>> released;

    public Hold(Request request, long token, Waiter waiter, long since) {
        this.request = request;
        this.token = token;
        this.since = since;
        this.owner = waiter.owner;
        this.asker = waiter.asker;
        this.word = waiter.asLease ? HANDLE : LOCK * waiter.levels();
        this.taker = waiter;
    }

    // ================================================================ readers

    /** Returns whether this is the hold of a reader of a read-write lock. */
    public boolean isReader() {
        return false;
    }

    /** Returns whether the hold, or a part of it, belongs to a handle which that thread has asked for. */
    public boolean isOfHandleOf(@Nullable Object other) {
        return owner == null && asker == other;
    }

    /** Returns the hold that the machine knows: this one, except for a reader who shares a hold with others. */
    public Hold whole() {
        return this;
    }

    /** Returns the holds of the owners in this client that end with this one. For the lock's machine. */
    public Collection<Hold> owners() {
        return List.of(this);
    }

    /** Returns whether that hold is this one, or a part of it that its owner has not left. For any thread. */
    public boolean includes(Hold owner) {
        return owner == this;
    }

    /** Removes one of the owners. Returns whether it was the last one. For the lock's machine. */
    public boolean leftBy(Hold owner) {
        return true;
    }

    // ================================================================ taking

    /*
     * An error may cut short a caller on its way out of lock(), so that it never learns of its grant. Therefore the
     * caller takes the hold as its last act, by one compare-and-set, after which nothing is called. A hold that is not
     * taken is given up by the machine, or by the same thread when it asks anew. A caller that finds its grant given up
     * asks again.
     */

    /**
     * Takes the hold for the caller of that waiter, as the last act of acquiring. Returns false if it was given up
     * before.
     */
    public boolean take(Waiter waiter) {
        return TAKER.compareAndSet(this, waiter, null);
    }

    /**
     * Gives up and leaves the hold if its caller has not taken it. Returns whether this call has ended the hold; other
     * calls of its owner may have entered it.
     */
    public boolean giveUp() {
        if (!(taker instanceof Waiter waiter) || !TAKER.compareAndSet(this, waiter, GIVEN_UP)) {
            return false;
        }
        try {
            for (int i = 0; i < waiter.levels(); i++) {
                leave(waiter.asLease);
            }
        } catch (Error cut) {
            owed = owed | (waiter.asLease ? OWED_HANDLE : OWED_LOCK);
            throw cut;
        }
        return isOver();
    }

    /** Returns the waiter whose caller has not taken the hold; {@code null} if it was taken or given up. */
    @Nullable
    public Waiter taker() {
        return taker instanceof Waiter waiter ? waiter : null;
    }

    /** Returns whether the caller has taken the hold. */
    public boolean isTaken() {
        return taker == null;
    }

    // ================================================================ what a caller owes

    /** Leaves the levels that are owed. Returns whether the hold has ended without its caller having posted that. */
    public boolean settleOwed() {
        if (owed == 0) {
            return false;
        }
        int what = OWED.getAndSet(this, 0);
        if ((what & OWED_LOCK) != 0 && locks() > 0) {
            leave(false);
        }
        if ((what & OWED_HANDLE) != 0 && depth() > locks()) {
            leave(true);
        }
        if ((what & OWED_RIGHT) != 0) {
            for (HandleRef right = rights; right != null; right = right.next) {
                if (right.cut && right.use()) {
                    right.setLeft(leave(true).isLost());
                }
            }
        }
        return isOver();
    }

    /** Returns the outcome of the release. The thread that has left the hold calls this before the machine does. */
    public Promise<Optional<LeaseLoss>> released() {
        Promise<Optional<LeaseLoss>> outcome = released;
        if (outcome == null) {
            outcome = new Promise<>();
            released = outcome;
        }
        return outcome;
    }

    /** The result of leaving a level. */
    public enum Left {
        /** Outer levels remain. */
        NESTED,
        /** It was the outermost level of a valid hold, which must be released now. */
        LAST,
        /** The hold had been lost, and outer levels remain. */
        LOST_NESTED,
        /** The hold had been lost, and its owner has unwound. */
        LOST_LAST;

        public boolean isLost() {
            return this == LOST_NESTED || this == LOST_LAST;
        }
    }

    /**
     * Goes one level deeper.
     *
     * @return {@code false} if the hold has ended, so that the caller must begin a new one
     * @throws LeaseLostException if it was lost and its owner has not unwound
     */
    public boolean enter(boolean asLease) {
        expire();
        for (; ; ) {
            long now = settledWord();
            if ((now & COUNTS) == 0) {
                return false;
            }
            if (now < 0) {
                throw new LeaseLostException(lossOf());
            }
            if (count(now, asLease) == COUNT) {
                throw new IllegalStateException(
                        "The lock '" + Printable.text(request.lock()) + "' is nested too deeply");
            }
            if (WORD.compareAndSet(this, now, now + (asLease ? HANDLE : LOCK))) {
                return true;
            }
        }
    }

    /**
     * Returns whether a request begins anew instead of learning of the loss of this hold. This is so for a cool-down:
     * the owner tries, without waiting, to begin a fixed lease after the previous one has run out.
     */
    public boolean mayBeFollowedBy(LockTerms terms, boolean tryOnly) {
        return tryOnly && !terms.isRenewed && hasRunOut();
    }

    /** Returns whether a fixed lease has ended by itself, and was not lost for another reason. */
    private boolean hasRunOut() {
        if (request.terms.isRenewed) {
            return false;
        }
        expire();
        LeaseLoss lost = loss;
        return lost != null && lost.reason() == LeaseLoss.Reason.EXPIRED;
    }

    /** Leaves one level. The caller must have checked that there is one of that kind. */
    public Left leave(boolean asLease) {
        expire();
        for (; ; ) {
            long now = settledWord();
            long left = now - (asLease ? HANDLE : LOCK);
            boolean last = (left & COUNTS) == 0;
            if (now < 0 && last && isEndOnly(lossOf())) {
                LossEvents.warn(request.context, this, lossOf()); // its owner has worked on
            }
            if (WORD.compareAndSet(this, now, left)) {
                return now < 0 ? last ? Left.LOST_LAST : Left.LOST_NESTED : last ? Left.LAST : Left.NESTED;
            }
        }
    }

    /**
     * Leaves all levels, because the thread is going to wait for a signal. Throws LeaseLostException if it was lost.
     */
    public void leaveAll() {
        expire();
        for (long now = settledWord(); now >= 0; now = settledWord()) {
            if (WORD.compareAndSet(this, now, now & ~COUNTS)) {
                return;
            }
        }
        throw new LeaseLostException(lossOf());
    }

    /**
     * Marks the hold as lost, because its thread has left its levels and did not get them back. It must leave them
     * again.
     */
    public void loseAway(int levels, LeaseLoss.Reason reason) {
        loss = lossNow(reason);
        word = LOST | levels; // no other thread changes the word of a hold that has ended
    }

    /** Returns how many levels by {@code lock} there are. */
    public long locks() {
        return count(word, false);
    }

    /** Returns how many levels there are. */
    public int depth() {
        long now = word;
        return (int) Math.min(Integer.MAX_VALUE, count(now, false) + count(now, true));
    }

    private static long count(long word, boolean asLease) {
        return (asLease ? word >> 31 : word) & COUNT;
    }

    /**
     * Returns whether the hold is not left, not lost, and before its deadline. A loss shows here before it interrupts.
     */
    public boolean isValid() {
        long now = word;
        return (now & (LOSING | LOST | UNVERIFIED)) == 0
                && (now & COUNTS) != 0
                && request.context.now() < request.deadline();
    }

    /** Makes the hold neither valid nor lost, until the server has answered. */
    public void doubt() {
        WORD.getAndUpdate(this, now -> now >= 0 ? now | UNVERIFIED : now);
    }

    /** Ends this state: the server has answered that it has the hold. */
    public void trust() {
        if (isUnverified()) {
            WORD.getAndUpdate(this, now -> now & ~UNVERIFIED);
        }
    }

    /** Returns whether the hold is neither valid nor lost, because the server is being asked. */
    public boolean isUnverified() {
        return (word & UNVERIFIED) != 0;
    }

    /** Adds the right of a handle to leave a level. */
    public void give(HandleRef right) {
        HandleRef newest;
        do {
            newest = rights;
            right.precede(newest);
        } while (!RIGHTS.compareAndSet(this, newest, right));
    }

    /** Returns why the hold can no longer be released: its owner or its handles are gone; {@code null} if it can. */
    public LockListener.@Nullable Absence absence() {
        long now = word;
        if ((now & COUNTS) == 0) {
            return null; // its owner has left: the release is in the mailbox
        }
        boolean locked = count(now, false) > 0;
        if (locked && isOwnerThere()) {
            return null;
        }
        if (count(now, true) > HandleRef.forsaken(rights)) {
            return null;
        }
        if (!locked) {
            return LockListener.Absence.LEASE_UNREACHABLE;
        }
        return thread() == null ? LockListener.Absence.OWNER_UNREACHABLE : LockListener.Absence.THREAD_ENDED;
    }

    /** Returns whether the owner is a thread that lives, or another owner that some code knows. */
    public boolean isOwnerThere() {
        return owner instanceof Thread thread
                ? thread.isAlive()
                : owner instanceof OwnerRef other && other.isReachable();
    }

    /** Returns whether all levels have been left, after a loss or not. */
    @Override
    public boolean isOver() {
        return (word & COUNTS) == 0;
    }

    /** Returns the nanoseconds until the deadline; 0 if the hold is not valid. */
    public long remaining() {
        return isValid() ? Math.max(0, request.deadline() - request.context.now()) : 0;
    }

    /** Returns the loss; {@code null} if the hold was not lost. */
    @Nullable
    public LeaseLoss loss() {
        expire();
        return settledWord() < 0 ? loss : null;
    }

    /** Returns the loss that concerns a handle; {@code null} if there is none, or the right was used before it. */
    @Nullable
    public LeaseLoss lossFor(HandleRef right) {
        return right.sharesLoss() ? loss() : null;
    }

    /** Returns the loss of a hold that was lost. */
    public LeaseLoss lossOf() {
        LeaseLoss lost = loss;
        if (lost == null) {
            throw new IllegalStateException("not lost");
        }
        return lost;
    }

    private void expire() {
        if (word >= 0 && request.context.now() >= request.deadline()) {
            lose(request.reasonOfEnd());
        }
    }

    /** Marks the hold as lost, unless it has ended. Returns whether this call did it. */
    public boolean lose(LeaseLoss.Reason reason) {
        LeaseLoss lost = null;
        for (; ; ) {
            long now = settledWord();
            if (now < 0 || (now & COUNTS) == 0) {
                return false;
            }
            if (lost == null) {
                lost = lossNow(reason);
            }
            if (loses(now, lost)) {
                break;
            }
        }
        tellLoss();
        tellLost(lost);
        return true;
    }

    /** Returns a loss of this hold that is dated now. */
    public LeaseLoss lossNow(LeaseLoss.Reason reason) {
        return new LeaseLoss(request.lock(), token, reason, Instant.now());
    }

    /** Changes the word from {@code now} to LOST. Even an error does not leave LOSING set: others wait for its end. */
    private boolean loses(long now, LeaseLoss lost) {
        if (!WORD.compareAndSet(this, now, now | LOSING)) {
            return false;
        }
        loss = lost;
        try {
            if (owner instanceof Thread thread && request.terms.options.onLoss() == OnLoss.INTERRUPT) {
                thread.interrupt();
            }
        } finally {
            word = (now & ~UNVERIFIED) | LOST; // no other thread changes the counts meanwhile
        }
        return true;
    }

    /** Reports the loss to the log and to the listeners. */
    public void tellLost(LeaseLoss lost) {
        LossEvents.reportLoss(request.context, this, this::owner, since, lost, isEndOnly(lost));
    }

    /** Returns whether a loss is the end of a fixed lease that nothing shows to be needed: it may be a cool-down. */
    private boolean isEndOnly(LeaseLoss lost) {
        return !request.terms.isRenewed
                && lost.reason() == LeaseLoss.Reason.EXPIRED
                && lossFuture == null
                && request.terms.options.onLoss() != OnLoss.INTERRUPT;
    }

    /** Waits until no loss is being delivered, which takes an instant, and returns the word. */
    private long settledWord() {
        for (; ; ) {
            long now = word;
            if ((now & LOSING) == 0) {
                return now;
            }
            Thread.onSpinWait();
            LockSupport.parkNanos(1); // on one processor, let the other thread finish
        }
    }

    /** Returns a future that completes when the hold is lost, on the callback executor. */
    public CompletableFuture<LeaseLoss> whenLost() {
        CompletableFuture<LeaseLoss> future = lossFuture;
        if (future == null) {
            CompletableFuture<LeaseLoss> fresh = new CompletableFuture<>();
            future = LOSS_FUTURE.compareAndSet(this, null, fresh) ? fresh : lossFuture;
        }
        if (loss() != null) {
            tellLoss();
        }
        return Objects.requireNonNull(future);
    }

    private void tellLoss() {
        CompletableFuture<LeaseLoss> future = lossFuture;
        if (future != null && !future.isDone()) {
            request.context.callBack(() -> future.complete(lossOf()));
        }
    }

    /** Returns the thread that owns the hold; {@code null} if it has another owner. */
    @Nullable
    public Thread thread() {
        return owner instanceof Thread thread ? thread : null;
    }

    /** Returns a description of the owner. */
    public String owner() {
        return ownerOf(owner, asker);
    }

    /** Returns the name of the owner, or of the thread that has asked for a handle. */
    public String ownerName() {
        return owner instanceof OwnerRef other ? other.name() : asker.getName();
    }

    /** Returns a description of an owner. A handle without one belongs to the thread that has asked for it. */
    public static String ownerOf(@Nullable Object owner, Thread asker) {
        if (owner instanceof OwnerRef) {
            return owner.toString();
        }
        return (owner == null ? "a handle of thread '" : "thread '") + Printable.text(asker.getName()) + "'";
    }

    @Override
    public String toString() {
        return owner() + " with fencing token " + token;
    }
}
